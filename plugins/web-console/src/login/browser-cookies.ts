/** The cookies of the console, by what they are for. */
export type CookieUse = 'session' | 'login' | 'visitor';

/**
 * The cookies of one server, by its public address. Scripts see none of them, no
 * other site sends them along, and where there is TLS they are neither sent nor
 * taken without it; a server that has its host for itself shares them with no other.
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

  /** What it is called. */
  name(use: CookieUse): string {
    return `${this.#prefix}portolan-${use}`;
  }

  /** A header that sets it, until the browser is closed where no seconds are given. */
  set(use: CookieUse, value: string, seconds?: number): string {
    const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
    return `${this.name(use)}=${value}; ${this.#attributes}${age}`;
  }

  /** A header that takes it away. */
  clear(use: CookieUse): string {
    return this.set(use, '', 0);
  }
}
