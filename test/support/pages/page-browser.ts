/** What a browser was answered. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Where it is sent on; undefined where it stays. */
  readonly location: string | undefined;
}

/**
 * As much of a browser as a login needs, without its rules of who may send what:
 * an attack says itself what is sent. Addresses of the public name go to a server
 * on loopback, as a reverse proxy would take them there.
 */
export class PageBrowser {
  readonly cookies = new Map<string, string>();
  /** Every `Set-Cookie`, whole. */
  readonly set: string[] = [];
  readonly #publicUrl: string;
  /** Where the server is; another replica, from then on. */
  server: string;

  constructor(publicUrl: string, server: string) {
    this.#publicUrl = publicUrl;
    this.server = server;
  }

  /** A copy with the same cookies. */
  stolen(server = this.server): PageBrowser {
    const other = new PageBrowser(this.#publicUrl, server);
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  /** The cookie whose name ends so. */
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
