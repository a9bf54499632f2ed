import type { JsonObject, LoginTokens } from '@portolan/plugin-api';

export interface SessionData {
  readonly provider: string;
  readonly token: string;
  /** Expiry of the token in milliseconds since 1970; undefined if the provider does not state it. */
  readonly expiresMs: number | undefined;
  /** Time of the next renewal in milliseconds since 1970. */
  readonly renewMs: number | undefined;
  readonly renewal: string | undefined;
  readonly name: string | undefined;
  /** Hint about the session that the logout at the provider gets. */
  readonly farewell?: string | undefined;
}

/**
 * Tokens are renewed this long before expiry, so that their requests can still complete; never in the first
 * half of the lifetime.
 */
const AHEAD_MS = 30_000;

export function toSession(
  provider: string,
  tokens: LoginTokens,
  nowMs: number,
  before?: SessionData,
): SessionData {
  const { token, expiresAt, renewal, name = before?.name, farewell = before?.farewell } = tokens;
  const expiresMs = expiresAt?.getTime();
  const renewMs =
    expiresMs === undefined || renewal === undefined
      ? undefined
      : Math.max(expiresMs - AHEAD_MS, nowMs + (expiresMs - nowMs) / 2);
  return { provider, token, expiresMs, renewMs, renewal, name, farewell };
}

export function toJson(session: SessionData): JsonObject {
  return { ...session };
}

/** Parses a stored session; undefined for the format of another version of the console. */
export function readSession({
  provider,
  token,
  expiresMs,
  renewMs,
  renewal,
  name,
  farewell,
}: JsonObject): SessionData | undefined {
  if (typeof provider !== 'string' || typeof token !== 'string') return undefined;
  return {
    provider,
    token,
    expiresMs: typeof expiresMs === 'number' ? expiresMs : undefined,
    renewMs: typeof renewMs === 'number' ? renewMs : undefined,
    renewal: typeof renewal === 'string' ? renewal : undefined,
    name: typeof name === 'string' ? name : undefined,
    farewell: typeof farewell === 'string' ? farewell : undefined,
  };
}

export function isGood({ expiresMs }: SessionData, nowMs: number): boolean {
  return expiresMs === undefined || nowMs < expiresMs;
}

export function isDue({ renewMs }: SessionData, nowMs: number): boolean {
  return renewMs !== undefined && nowMs >= renewMs;
}
