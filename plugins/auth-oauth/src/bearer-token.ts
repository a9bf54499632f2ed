/** What a request carries: nothing, a credential of another scheme, what should be a token and is none, or a token. */
export type Credential =
  | { readonly found: 'nothing' }
  | { readonly found: 'other-scheme' }
  | { readonly found: 'malformed' }
  | { readonly found: 'token'; readonly token: string };

/**
 * The bearer token of a request (RFC 6750, 2.1), from its headers as they came:
 * of several `Authorization` headers Node would show the first, and somebody
 * before this server may have looked at another.
 */
export function readCredential(rawHeaders: readonly string[]): Credential {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') values.push(rawHeaders[index + 1] ?? '');
  }
  const [value, ...others] = values;
  if (value === undefined) return { found: 'nothing' };
  if (others.length === 0 && !/^bearer(?:[ \t]|$)/i.test(value)) return { found: 'other-scheme' };
  const token = /^bearer +([\w.~+/-]+=*)$/i.exec(value)?.[1];
  return token === undefined || others.length > 0 ? { found: 'malformed' } : { found: 'token', token };
}
