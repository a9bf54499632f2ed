import type { JsonObject, LoginTokens } from '@portolan/plugin-api';

/** What is remembered of somebody who is logged in. */
export interface SessionData {
  readonly provider: string;
  readonly token: string;
  /** Milliseconds since 1970; undefined: the provider does not say. */
  readonly expiresMs: number | undefined;
  /** When it is time for another token, likewise. */
  readonly renewMs: number | undefined;
  readonly renewal: string | undefined;
  readonly name: string | undefined;
  /** For the logout at the provider. */
  readonly farewell?: string | undefined;
}

/** Before its end a token is renewed, so that what is asked with it has time to be answered; never in the first half of its life. */
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

/** As it is stored. */
export function toJson(session: SessionData): JsonObject {
  return { ...session };
}

/** As it was stored; undefined for what another version has stored in another way. */
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

/** Whether it is time for another token. */
export function isDue({ renewMs }: SessionData, nowMs: number): boolean {
  return renewMs !== undefined && nowMs >= renewMs;
}
