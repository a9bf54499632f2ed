import { eventually } from '@portolan/plugin-testing';

export type Json = Readonly<Record<string, unknown>>;

/** A version as one registry shows it to another. */
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

/** Timeout of a sync. Syncs of other tests may run at the same time. */
const SYNC = { withinMs: 60_000 };

/** HTTP client of a registry, as another registry, an administrator or a test. */
export class CountingRegistry {
  readonly url: string;
  readonly #token: string | undefined;

  /** Every request sends `token`. */
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
    // SAFETY: the server responds with a JSON object or without a body.
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
  }

  /** Starts a sync of a source, waits for its end and returns its status. Throws if it fails. */
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

  /** Returns every version of every type in a registry, in the order of the registry. */
  async listAll(registry: string, token = this.#token, pageSize = 3): Promise<readonly ShownVersion[]> {
    const versions: ShownVersion[] = [];
    for (const [type, path] of Object.entries(TYPES)) {
      for (let cursor = ''; ; ) {
        const target = `/registry/${registry}/v0.1/${path}?include_deleted=true&limit=${pageSize}${cursor}`;
        const response = await fetch(`${this.url}${target}`, {
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        });
        // SAFETY: the API document describes this type.
        const page = (await response.json()) as Readonly<Record<string, readonly Json[]>> & {
          readonly metadata: { readonly nextCursor?: string };
        };
        for (const row of page[path.split('/').at(-1) ?? ''] ?? []) {
          // SAFETY: the API document describes this type.
          const meta = row['_meta'] as Readonly<Record<string, Json>>;
          versions.push({
            document: row[type] as Json,
            official: meta['io.modelcontextprotocol.registry/official'] ?? {},
            origin: meta['portolan.dev'] ?? {},
          });
        }
        if (page.metadata.nextCursor === undefined) break;
        cursor = `&cursor=${page.metadata.nextCursor}`;
      }
    }
    return versions;
  }

  async #statusOf(source: string): Promise<Json> {
    const { body } = await this.send('GET', `/v1/sources/${source}`);
    // SAFETY: the API document describes this type.
    return (body['syncStatus'] ?? {}) as Json;
  }
}
