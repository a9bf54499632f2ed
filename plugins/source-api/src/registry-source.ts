import {
  type ChangeItem,
  parseDuration,
  type PluginContext,
  type ReadItem,
  type Source,
} from '@portolan/plugin-api';
import type { ApiConfig } from './api-config.ts';
import { checkApi } from './check-api.ts';
import { Connection } from './connection.ts';
import { credentialsOf } from './credentials.ts';
import type { Credentials } from './client-credentials.ts';
import { baseOf } from './endpoint.ts';
import { configInvalid, statusUnexpected } from './errors.ts';
import { LISTS, type ListOfType } from './lists.ts';
import { OriginFetch } from './origin-fetch.ts';
import type { AskPage } from './page-reader.ts';
import { readList } from './read-list.ts';
import { type ReadPosition, readPosition, sinceOf, writePosition } from './read-position.ts';
import { type VersionedList, RegistryApi } from './registry-api.ts';
import { pause, type RetryRules } from './retry.ts';

/** Statuses that mean that the registry does not support requests for changes. */
const NO_CHANGES: ReadonlySet<number> = new Set([400, 422, 501]);

/** Each type of entries is a separate part: its removed entries are known without reading the others. */
export class RegistrySource implements Source {
  readonly fullReadEveryMs: number;
  readonly #config: ApiConfig;
  readonly #base: URL;
  readonly #origin: OriginFetch;
  readonly #connection: Connection;
  readonly #credentials: Credentials | undefined;

  constructor(
    config: ApiConfig,
    context: Pick<PluginContext, 'fetch' | 'openFetch' | 'clock' | 'directory'>,
    retry: Partial<RetryRules> = {},
  ) {
    const problem = checkApi(config).find(({ isWarning }) => isWarning !== true);
    if (problem !== undefined) throw configInvalid(problem.place, problem.found, problem.expected);
    this.#config = config;
    this.fullReadEveryMs = parseDuration(config.fullSyncInterval);
    this.#base = baseOf(config.endpoint);
    this.#origin = new OriginFetch(this.#base, context, config.headers);
    this.#credentials = credentialsOf(config, context);
    this.#connection = new Connection({
      fetch: this.#origin.fetch,
      timeoutMs: Math.ceil(parseDuration(config.timeout)),
      maxBytes: config.maxPageBytes,
      retry: { max: config.retries, pause, random: Math.random, clock: context.clock, ...retry },
      credentials: this.#credentials,
    });
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<ReadItem, void> {
    signal.throwIfAborted();
    const api = this.#open(signal);
    const lists: VersionedList[] = [];
    for (const type of this.#config.types) {
      const one = await api.findList(type);
      if (one === undefined) continue;
      lists.push(one);
      yield* this.#read(api, one.list);
    }
    // The address may lead to another registry by now, or to none. The entries read before must stay, so this
    // is an error.
    if (lists.length === 0) throw statusUnexpected(`the list of ${this.#config.types[0]}s`, 404);
    const scopes = lists.map(({ list }) => list.key);
    yield { completeScopes: scopes, allScopes: scopes };
    yield* this.#cursorAfter(api, lists);
  }

  async *readChanges(since: string, signal: AbortSignal): AsyncGenerator<ChangeItem, void> {
    signal.throwIfAborted();
    const position = readPosition(since, this.#scope);
    if (position === undefined) {
      yield { startOver: 'It was read otherwise the last time.' };
      return;
    }
    const api = this.#open(signal, position);
    const changes: VersionedList[] = [];
    const gone: string[] = [];
    for (const type of this.#config.types) {
      const one = await api.findList(type, position.tags);
      if (one === undefined && type === 'server') {
        yield { startOver: `The registry no longer has a list of servers with API ${position.version}.` };
        return;
      }
      if (one === undefined) {
        gone.push(...LISTS[type].slice(0, 1).map(({ key }) => key));
        continue;
      }
      changes.push(one);
      if (one.isUnchanged) continue;
      const { list, date } = one;
      if (date !== undefined && date.getTime() < Date.parse(position.since)) {
        yield { startOver: 'The clock of the registry was set back.' };
        return;
      }
      if (one.view !== position.views[list.path]) {
        yield { startOver: 'The registry shows rows of other sources by now, or others of them.' };
        return;
      }
      const isTold = yield* this.#read(api, list, list.tellsChanges ? position.since : undefined);
      if (!isTold) {
        yield { startOver: 'The registry does not tell what has changed.' };
        return;
      }
      if (!list.tellsChanges) yield { completeScopes: [list.key] };
    }
    if (changes.length === 0) {
      yield { startOver: 'The registry no longer has any of the lists.' };
      return;
    }
    if (gone.length > 0) yield { completeScopes: gone };
    if (changes.some(({ isUnchanged }) => !isUnchanged)) yield* this.#cursorAfter(api, changes);
  }

  async close(): Promise<void> {
    await Promise.all([this.#origin.close(), this.#credentials?.close?.()]);
  }

  /** A position is valid in this scope. */
  get #scope(): string {
    return `${this.#base.href} ${this.#config.types.join()}`;
  }

  #open(signal: AbortSignal, position?: ReadPosition): RegistryApi {
    const { pageSize } = this.#config;
    const version = position?.version;
    return new RegistryApi({ base: this.#base, connection: this.#connection, pageSize, signal, version });
  }

  /** Returns false where the registry does not support changes since a time. */
  async *#read(api: RegistryApi, list: ListOfType, since?: string): AsyncGenerator<ReadItem, boolean> {
    const ask: AskPage = async (cursor, what) => {
      const response = await api.askPage(what, list, { cursor, since });
      if (since !== undefined && cursor === undefined && NO_CHANGES.has(response.status)) return undefined;
      if (response.status !== 200) throw statusUnexpected(what, response.status);
      return response;
    };
    return yield* readList(list, this.#config, ask);
  }

  /** Yields nothing where the registry does not send its time: the next read then reads everything. */
  *#cursorAfter(api: RegistryApi, lists: readonly VersionedList[]): Generator<ReadItem, void> {
    const { version } = api;
    const dates = lists.flatMap(({ date }) => date?.getTime() ?? []);
    if (version === undefined || dates.length < lists.length) return;
    const byPath = (of: (one: VersionedList) => string | undefined): Readonly<Record<string, string>> =>
      Object.fromEntries(
        lists.flatMap((one) => {
          const text = of(one);
          return text === undefined ? [] : [[one.list.path, text]];
        }),
      );
    const position = {
      version,
      since: sinceOf(new Date(Math.min(...dates))),
      tags: byPath(({ tag }) => tag),
      views: byPath(({ view }) => view),
    };
    yield { cursor: writePosition(position, this.#scope) };
  }
}
