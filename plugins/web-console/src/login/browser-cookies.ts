export type CookieUse = 'session' | 'login' | 'visitor';

/**
 * Cookie names and headers of one server. Cookies are `HttpOnly` and `SameSite=Lax`. With HTTPS they are
 * `Secure`, and have the prefix `__Host-`, or `__Secure-` if the public URL has a path.
 */
export class BrowserCookies {
  readonly #prefix: string;
  readonly #attributes: string;

  constructor(publicUrl: string) {
    const { protocol, pathname } = new URL(publicUrl);
    const path = pathname.replace(/\/+$/, '');
    const isSecure = protocol === 'https:';
    this.#prefix = isSecure ? (path === '' ? '__Host-' : '__Secure-') : '';
    this.#attributes = `Path=${path === '' ? '/' : path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  name(use: CookieUse): string {
    return `${this.#prefix}portolan-${use}`;
  }

  /** Returns the `Set-Cookie` value. Without `seconds`, the cookie lasts until the browser closes. */
  set(use: CookieUse, value: string, seconds?: number): string {
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    return `${this.name(use)}=${value}; ${this.#attributes}${age}`;
  }

  clear(use: CookieUse): string {
    return this.set(use, '', 0);
  }
}
