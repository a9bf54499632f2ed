import { memberOf, type PortolanError } from '@portolan/plugin-api';

/** Most bytes of a file that holds an access token. */
const MAX_TOKEN_BYTES = 64 * 1024;

export interface TokenFile {
  /** All of it; undefined when there is more than `mostBytes`. Throws an error of its own where it cannot be read. */
  readonly read: (mostBytes: number) => Promise<Buffer | undefined>;
  /** The error for a file that holds no token. */
  readonly unusable: (because: string) => PortolanError;
}

/**
 * The access token in a file, without white space around it. Throws what the
 * file is told to throw when there is none, or what no token can hold (RFC 6750,
 * section 2.1). The token stands in no message.
 */
export async function readAccessToken({ read, unusable }: TokenFile): Promise<string> {
  const bytes = await read(MAX_TOKEN_BYTES);
  if (bytes === undefined) throw unusable(`it has more than ${MAX_TOKEN_BYTES} bytes`);
  const token = bytes.toString('latin1').trim();
  const fault = findTokenFault(token);
  if (fault !== undefined) throw unusable(fault);
  return token;
}

/** What keeps a text, without white space around it, from being an access token. It stands in no message. */
export function findTokenFault(token: string): string | undefined {
  if (token === '') return 'it is empty';
  if (/^bearer\s/i.test(token)) return 'it begins with "Bearer"';
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(token) ? undefined : 'it holds characters that no token has';
}

/** A variable that holds a token; it is for the server that is named beside it. */
export const TOKEN_VARIABLE = 'PORTOLAN_TOKEN';

/** The token in `PORTOLAN_TOKEN`; undefined where there is none. Throws what it is told to throw for what is no token. */
export function tokenOfEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  unusable: (because: string) => PortolanError,
): string | undefined {
  const token = environment[TOKEN_VARIABLE]?.trim();
  if (token === undefined || token === '') return undefined;
  const fault = findTokenFault(token);
  if (fault !== undefined) throw unusable(fault);
  return token;
}

/**
 * Returns when a JWT expires, as it says itself; undefined for other tokens and for one without
 * `exp`. The signature is not checked: it is the token of the user.
 */
export function expiryOf(token: string): Date | undefined {
  const [, payload = '', ...more] = token.split('.');
  if (more.length !== 1) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const expiry = memberOf(claims, 'exp');
    return typeof expiry === 'number' ? new Date(expiry * 1000) : undefined;
  } catch {
    return undefined; // An opaque token may have dots.
  }
}

/** Returns the time at which a token expired, in ISO 8601; undefined for one that is good, or does not say so. */
export function describeExpiry(expiresAt: Date | undefined): string | undefined {
  if (expiresAt === undefined || expiresAt.getTime() > Date.now()) return undefined;
  return expiresAt.toISOString();
}
