import { memberOf, type PortolanError } from '@portolan/plugin-api';

const MAX_TOKEN_BYTES = 64 * 1024;

export interface TokenFile {
  /**
   * Reads the content of the token file; undefined when it is larger than `maxBytes`. Throws an error of the
   * caller for an unreadable file.
   */
  readonly read: (maxBytes: number) => Promise<Buffer | undefined>;
  readonly unusable: (because: string) => PortolanError;
}

/**
 * Returns the trimmed token of a file. Throws the caller's error, which does not contain the token, when it
 * is invalid (RFC 6750, section 2.1).
 */
export async function readAccessToken({ read, unusable }: TokenFile): Promise<string> {
  const bytes = await read(MAX_TOKEN_BYTES);
  if (bytes === undefined) throw unusable(`it has more than ${MAX_TOKEN_BYTES} bytes`);
  const token = bytes.toString('latin1').trim();
  const fault = findTokenFault(token);
  if (fault !== undefined) throw unusable(fault);
  return token;
}

/** Returns why a trimmed text is not an access token, without the text itself. */
export function findTokenFault(token: string): string | undefined {
  if (token === '') return 'it is empty';
  if (/^bearer\s/i.test(token)) return 'it begins with "Bearer"';
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(token) ? undefined : 'it holds characters that no token has';
}

/** Environment variable with a token for the server in `PORTOLAN_URL`. */
export const TOKEN_VARIABLE = 'PORTOLAN_TOKEN';

/** Returns the token in `PORTOLAN_TOKEN`, if any. Throws the given error for an invalid one. */
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

/** Returns the `exp` of a JWT, if there is one. The signature is not verified: it is the user's own token. */
export function expiryOf(token: string): Date | undefined {
  const [, payload = '', ...more] = token.split('.');
  if (more.length !== 1) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const expiry = memberOf(claims, 'exp');
    return typeof expiry === 'number' ? new Date(expiry * 1000) : undefined;
  } catch {
    return undefined; // An opaque token may contain dots.
  }
}

/** Returns in ISO 8601 when a token expired; undefined for one that is valid or states no expiry. */
export function describeExpiry(expiresAt: Date | undefined): string | undefined {
  if (expiresAt === undefined || expiresAt.getTime() > Date.now()) return undefined;
  return expiresAt.toISOString();
}
