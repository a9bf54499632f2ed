import { eventually } from '@portolan/plugin-testing';

export type Json = Readonly<Record<string, unknown>>;

/** A version as a registry shows it to another one. */
export interface ShownVersion {
  readonly document: Json;
  readonly official: Json;
  readonly origin: Json;
}

const TYPES = {
  server: 'servers',
  skill: 'x/dev.portolan/skills',
  plugin: 'x/dev.portolan/plugins',
} as const;

/** Syncs of others run beside it, and on a busy machine a process takes its time. */
const SYNC = { withinMs: 60_000 };

/** A registry as another one, an administrator and a test see it: over HTTP. */
export class CountingRegistry {
  readonly url: string;
  readonly #token: string | undefined;

  /** `token` is sent with everything that is asked. */
  constructor(url: string, token?: string) {
    this.url = url;
    this.#token = token;
  }

  async send(
    method: string,
    target: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly body: Json }> {
    const response = await fetch(`${this.url}${target}`, {
      method,
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // SAFETY: the server answers with JSON objects, or with nothing.
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
  }

  /** Has a source read, and waits until it was; answers its status. Throws when it fails. */
  async sync(source: string, full: boolean): Promise<Json> {
    const before = (await this.#statusOf(source))['lastSyncTime'];
    const { status } = await this.send('POST', `/v1/sources/${source}/sync${full ? '?full=true' : ''}`);
    if (status !== 202) throw new Error(`the sync of ${source} was answered with ${status}`);
    return await eventually(async () => {
      const after = await this.#statusOf(source);
      if (after['phase'] !== 'complete' || after['lastSyncTime'] === before)
        throw new Error(`${source} is not synced: ${JSON.stringify(after)}`);
      return after;
    }, SYNC);
  }

  /** Waits for the first sync of a source. */
  async firstSync(source: string): Promise<void> {
    await eventually(async () => {
      const status = await this.#statusOf(source);
      if (status['lastSyncTime'] === undefined)
        throw new Error(`${source} is not synced: ${JSON.stringify(status)}`);
    }, SYNC);
  }

  /** Every version of every type that a registry has, in its order. */
  async listAll(registry: string, token = this.#token, pageSize = 3): Promise<readonly ShownVersion[]> {
    const found: ShownVersion[] = [];
    for (const [type, path] of Object.entries(TYPES)) {
      for (let cursor = ''; ; ) {
        const target = `/registry/${registry}/v0.1/${path}?include_deleted=true&limit=${pageSize}${cursor}`;
        const response = await fetch(`${this.url}${target}`, {
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        });
        // SAFETY: as the API is described.
        const page = (await response.json()) as Readonly<Record<string, readonly Json[]>> & {
          readonly metadata: { readonly nextCursor?: string };
        };
        for (const row of page[path.split('/').at(-1) ?? ''] ?? []) {
          // SAFETY: likewise.
          const meta = row['_meta'] as Readonly<Record<string, Json>>;
          found.push({
            document: row[type] as Json,
            official: meta['io.modelcontextprotocol.registry/official'] ?? {},
            origin: meta['portolan.dev'] ?? {},
          });
        }
        if (page.metadata.nextCursor === undefined) break;
        cursor = `&cursor=${page.metadata.nextCursor}`;
      }
    }
    return found;
  }

  async #statusOf(source: string): Promise<Json> {
    const { body } = await this.send('GET', `/v1/sources/${source}`);
    // SAFETY: as the API is described.
    return (body['syncStatus'] ?? {}) as Json;
  }
}
