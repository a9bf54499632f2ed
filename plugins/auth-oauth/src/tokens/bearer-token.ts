import { hash } from 'node:crypto';

/**
 * Credential of a request: none, one of another scheme than Bearer, a malformed bearer token, or a token with
 * its SHA-256.
 */
export type Credential =
  | { readonly outcome: 'nothing' }
  | { readonly outcome: 'other-scheme' }
  | { readonly outcome: 'malformed' }
  | { readonly outcome: 'token'; readonly token: string; readonly digest: string };

/** Caches the credential of each connection, because its requests usually repeat the credential. */
export class KnownCredentials {
  readonly #known = new WeakMap<object, { readonly value: string; readonly credential: Credential }>();

  /**
   * Returns the bearer token of a request (RFC 6750, section 2.1). Reads raw headers: of several
   * `Authorization` headers Node.js would show only the first, and a proxy may have checked another one.
   */
  read(rawHeaders: readonly string[], connection: object | undefined): Credential {
    let value: string | undefined;
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = rawHeaders[index];
      if (name?.length !== NAME.length || name.toLowerCase() !== NAME) continue;
      if (value !== undefined) return { outcome: 'malformed' };
      value = rawHeaders[index + 1] ?? '';
    }
    if (value === undefined) return { outcome: 'nothing' };
    if (connection === undefined) return credentialIn(value);
    const known = this.#known.get(connection);
    if (known?.value === value) return known.credential;
    const credential = credentialIn(value);
    if (credential.outcome === 'token') this.#known.set(connection, { value, credential });
    return credential;
  }
}

const NAME = 'authorization';

function credentialIn(value: string): Credential {
  if (!/^bearer(?:[ \t]|$)/i.test(value)) return { outcome: 'other-scheme' };
  const token = /^bearer +([\w.~+/-]+=*)$/i.exec(value)?.[1];
  if (token === undefined) return { outcome: 'malformed' };
  return { outcome: 'token', token, digest: digestOf(token) };
}

export function digestOf(token: string): string {
  return hash('sha256', token, 'base64');
}
