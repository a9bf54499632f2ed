/** Most bytes of a file that holds an access token. */
export const MOST_TOKEN_BYTES = 64 * 1024;

/** What keeps a text, without white space around it, from being an access token (RFC 6750, section 2.1). It stands in no message. */
export function findTokenFault(token: string): string | undefined {
  if (token === '') return 'it is empty';
  if (/^bearer\s/i.test(token)) return 'it begins with "Bearer"';
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(token) ? undefined : 'it holds characters that no token has';
}
