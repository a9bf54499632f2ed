import type { DocumentAnswer } from '@portolan/outbound';
import { parseDuration, type PluginContext, type ReadItem, type Source } from '@portolan/plugin-api';
import type { ApiConfig } from './api-config.ts';
import { checkApi } from './check-api.ts';
import { Connection } from './connection.ts';
import { baseOf } from './endpoint.ts';
import { configInvalid, statusUnexpected } from './errors.ts';
import { type ListOfType, SERVERS } from './lists.ts';
import { OriginFetch } from './origin-fetch.ts';
import { type AskPage, readList } from './read-list.ts';
import { pause, type RetryRules } from './retry.ts';

/** The versions of the API, the one that is asked for first at the front. */
const API_VERSIONS = ['v0.1', 'v0'] as const;

type ApiVersion = (typeof API_VERSIONS)[number];

/** Everything that another registry lists, read page by page. */
export class RegistrySource implements Source {
  readonly #config: ApiConfig;
  readonly #base: URL;
  readonly #origin: OriginFetch;
  readonly #connection: Connection;

  constructor(
    config: ApiConfig,
    context: Pick<PluginContext, 'fetch' | 'openFetch' | 'clock'>,
    retry: Partial<RetryRules> = {},
  ) {
    const [problem] = checkApi(config);
    if (problem !== undefined) throw configInvalid(problem.place, problem.found, problem.expected);
    this.#config = config;
    this.#base = baseOf(config.endpoint);
    this.#origin = new OriginFetch(this.#base, context);
    this.#connection = new Connection({
      fetch: this.#origin.fetch,
      timeoutMs: Math.ceil(parseDuration(config.timeout)),
      mostBytes: config.maxPageBytes,
      retry: { most: config.retries, pause, random: Math.random, clock: context.clock, ...retry },
    });
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<ReadItem, void> {
    signal.throwIfAborted();
    yield* readList(SERVERS, this.#config, this.#asking(signal));
  }

  async close(): Promise<void> {
    await this.#origin.close();
  }

  /** Asks for the pages of the servers: by v0.1, or by v0 where the registry does not know that. */
  #asking(signal: AbortSignal): AskPage {
    let known: ApiVersion | undefined;
    return async (cursor, what) => {
      for (const version of known === undefined ? API_VERSIONS : [known]) {
        const url = this.#addressOf(SERVERS, version, cursor);
        const answer = await this.#connection.ask({ what, url, signal });
        if (answer.status === 404 && known === undefined && version !== API_VERSIONS.at(-1)) continue;
        requireFound(what, answer);
        known = version;
        return answer;
      }
      return undefined;
    };
  }

  #addressOf({ path }: ListOfType, version: ApiVersion, cursor: string | undefined): URL {
    const url = new URL(`${version}/${path}`, this.#base);
    url.searchParams.set('limit', String(this.#config.pageSize));
    url.searchParams.set('include_deleted', 'true');
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    return url;
  }
}

function requireFound(what: string, { status }: DocumentAnswer): void {
  if (status !== 200) throw statusUnexpected(what, status);
}
