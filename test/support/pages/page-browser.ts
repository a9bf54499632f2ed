/** A response to the browser. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Target of a redirect, or undefined. */
  readonly location: string | undefined;
}

/**
 * The part of a browser that a login needs. It has no same-origin rules, so that attacks choose what they
 * send. Requests to the public name go to a server on loopback, as through a reverse proxy.
 */
export class PageBrowser {
  readonly cookies = new Map<string, string>();
  /** All `Set-Cookie` headers. */
  readonly set: string[] = [];
  readonly #publicUrl: string;
  /** Address of the server. Changing it sends further requests to another replica. */
  server: string;

  constructor(publicUrl: string, server: string) {
    this.#publicUrl = publicUrl;
    this.server = server;
  }

  /** Returns a copy with the same cookies. */
  stolen(server = this.server): PageBrowser {
    const other = new PageBrowser(this.#publicUrl, server);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  /** Returns the cookie whose name has this end. */
  cookie(use: string): string {
    return [...this.cookies].find(([name]) => name.endsWith(`portolan-${use}`))?.[1] ?? '';
  }

  async get(target: string, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return await this.send(target, { headers: { accept: 'text/html', ...headers } });
  }

  async post(
    target: string,
    form: Readonly<Record<string, string>> | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    return await this.send(target, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });
  }

  async send(target: string, init: RequestInit): Promise<Shown> {
    const path = target.startsWith(this.#publicUrl) ? target.slice(this.#publicUrl.length) : target;
    const headers = new Headers(init.headers);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(`${this.server}${path}`, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      this.set.push(line);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0\b/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location') ?? undefined,
    };
  }
}
