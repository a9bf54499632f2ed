import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import type { Json } from '../counting-registry.ts';
import { RegistryInProcess } from '../registry-in-process.ts';
import { PageBrowser, type Shown } from './page-browser.ts';

/** Claims of the tokens with which tests request pages. A visitor without a login has none. */
export const CALLERS = {
  nobody: undefined,
  reader: { org: 'acme' },
  sources: { org: 'acme', role: 'sources' },
  abroad: { org: 'other', role: 'sources' },
  registries: { org: 'acme', role: 'registries' },
  entries: { org: 'acme', role: 'entries' },
  admin: { role: 'admin' },
} as const satisfies Readonly<Record<string, Json | undefined>>;

export type CallerName = keyof typeof CALLERS;

/** Names of all resources in this registry. No page contains one of them as a word of its own text. */
export const NAMES = ['s-mine', 's-foreign', 's-bare', 's-made', 'r-main', 'r-foreign', 'r-made'] as const;

const ACME = { org: 'acme' };
const OTHER = { org: 'other' };

/** Server document that passes every rule of publishing. */
export function serverDocument(name: string, version = '1.0.0', more: Json = {}): Json {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    description: 'Notes of a team.',
    version,
    remotes: [{ type: 'streamable-http', url: `https://${name.replaceAll(/[./]/g, '-')}.example/mcp` }],
    ...more,
  };
}

/** Catalogue with one valid and one skipped entry. */
export const CATALOGUE = JSON.stringify({
  version: '1.0.0',
  meta: { last_updated: '2026-01-15T08:00:00Z' },
  data: { servers: [serverDocument('com.acme/sound'), { name: 'spoilt' }] },
});

/** A registry with pages under full authorization, and callers with different rights. */
export class AdminWorld {
  readonly registry: RegistryInProcess;
  readonly issuer: TestIssuer;

  private constructor(registry: RegistryInProcess, issuer: TestIssuer) {
    this.registry = registry;
    this.issuer = issuer;
  }

  static async open(): Promise<AdminWorld> {
    const issuer = await startTestIssuer();
    const role = (name: string) => [{ role: name }];
    try {
      const registry = await RegistryInProcess.start(
        {
          pages: { 'web-console': {} },
          auth: {
            mode: 'oauth',
            oauth: {
              resourceUrl: 'https://registry.acme.example',
              providers: [
                { name: 'test', issuerUrl: issuer.issuerUrl, audience: 'portolan', allowPrivateIP: true },
              ],
            },
            authz: {
              roles: {
                superAdmin: role('admin'),
                manageSources: role('sources'),
                manageRegistries: role('registries'),
                manageEntries: role('entries'),
              },
            },
          },
          sources: [
            { name: 's-mine', managed: {}, claims: ACME },
            { name: 's-foreign', managed: {}, claims: OTHER },
            { name: 's-bare', managed: {} },
          ],
          registries: [
            { name: 'r-main', sources: ['s-mine'], claims: ACME },
            { name: 'r-foreign', sources: ['s-foreign'], claims: OTHER },
          ],
        },
        issuer.sign({ role: 'admin' }),
      );
      const world = new AdminWorld(registry, issuer);
      await world.fill();
      return world;
    } catch (error) {
      await issuer.close();
      throw error;
    }
  }

  /** Makes the resources that are not in the configuration, or makes them again. */
  async fill(): Promise<void> {
    const { registry } = this;
    const made = [
      await registry.send('PUT', '/v1/sources/s-made', {
        file: { data: CATALOGUE },
        syncPolicy: { interval: '1h' },
        claims: ACME,
      }),
      await registry.send('PUT', '/v1/registries/r-made', { sources: ['s-mine'], claims: ACME }),
      ...(await Promise.all(
        ['com.acme/mine', 'com.acme/theirs'].map((name) =>
          registry.send('POST', '/v1/entries?source=s-mine', {
            server: serverDocument(name),
            claims: name === 'com.acme/mine' ? ACME : OTHER,
          }),
        ),
      )),
    ];
    const failed = made.find(({ status }) => status >= 300 && status !== 409);
    if (failed !== undefined) throw new Error(JSON.stringify(failed));
  }

  /** Returns the response of the API to a caller. */
  async api(
    caller: CallerName,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${this.registry.url}${path}`, {
      method,
      headers: {
        ...this.headersOf(caller),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  headersOf(caller: CallerName): Readonly<Record<string, string>> {
    const claims = CALLERS[caller];
    return claims === undefined ? {} : { authorization: `Bearer ${this.issuer.sign(claims)}` };
  }

  visitor(caller: CallerName): AdminVisitor {
    return new AdminVisitor(new PageBrowser(this.registry.url, this.registry.url), this.headersOf(caller));
  }

  async close(): Promise<void> {
    await this.registry.stop();
    await this.issuer.close();
  }
}

/** A caller with a browser. */
export class AdminVisitor {
  readonly browser: PageBrowser;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(browser: PageBrowser, headers: Readonly<Record<string, string>>) {
    this.browser = browser;
    this.#headers = headers;
  }

  async see(path: string): Promise<Shown> {
    return await this.browser.get(path, this.#headers);
  }

  /** Sends a form with the hidden fields of its page. */
  async send(
    path: string,
    fields: Readonly<Record<string, string>>,
    from = '/manage/explain',
  ): Promise<Shown> {
    const { text } = await this.see(from);
    const csrf = hiddenField(text, 'csrf');
    return await this.browser.post(
      path,
      { csrf, ...fields },
      { ...this.#headers, 'sec-fetch-site': 'same-origin' },
    );
  }

  /** Sends a form without the hidden fields of its page. */
  async forge(
    path: string,
    fields: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Shown> {
    return await this.browser.post(path, fields, { ...this.#headers, ...more });
  }
}

/** Returns the value of a hidden field, or an empty string. */
export function hiddenField(html: string, name: string): string {
  const input = [...html.matchAll(/<input[^>]*>/g)]
    .map(([text]) => text)
    .find((text) => text.includes(`name="${name}"`));
  return unescaped(/ value="([^"]*)"/.exec(input ?? '')?.[1] ?? '');
}

/** Returns the names of the fields that the page marks as wrong. */
export function wrongFields(html: string): readonly string[] {
  return [...html.matchAll(/<(?:input|select|textarea)[^>]*aria-invalid="true"[^>]*>/g)].map(
    ([text]) => / name="([^"]*)"/.exec(text)?.[1] ?? '',
  );
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
