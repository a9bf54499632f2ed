import type { DocumentAnswer } from '@portolan/outbound';
import { type EntryType, joinAddress } from '@portolan/plugin-api';
import type { Connection } from './connection.ts';
import { statusUnexpected } from './errors.ts';
import { LISTS, type ListOfType } from './lists.ts';

/** The versions of the API, the one that is asked for first at the front. */
const API_VERSIONS = ['v0.1', 'v0'] as const;

/** Statuses of a list that a registry does not have. */
const ABSENT: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** A registry says with it that the entity tag of a page changes with anything in the whole list. */
const COVERS = 'portolan-tag-covers';

/** A registry says with it what decides which rows are shown: other sources or other rights show rows that nobody has written. */
const VIEW = 'portolan-view';

/** A list that a registry has, as of now. */
export interface FoundList {
  readonly list: ListOfType;
  /** Nothing in it has changed since the tag was given. */
  readonly isUnchanged: boolean;
  /** Stands for everything in the list; undefined where the registry does not say that it does. */
  readonly tag: string | undefined;
  /** Stands for what decides which rows are shown, beside the rows; undefined where the registry does not say. */
  readonly view: string | undefined;
  /** What the clock of the registry says. */
  readonly date: Date | undefined;
}

export interface RegistryApiOptions {
  readonly base: URL;
  readonly connection: Connection;
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** Of the API, where it is known from an earlier read; left out: it is found out. */
  readonly version?: string | undefined;
}

/** The API of a registry during one read: which version of it, which lists it has, and their pages. */
export class RegistryApi {
  readonly #options: RegistryApiOptions;
  #version: string | undefined;

  constructor(options: RegistryApiOptions) {
    this.#options = options;
    this.#version = options.version;
  }

  /** undefined until a list was found. */
  get version(): string | undefined {
    return this.#version;
  }

  /**
   * Which list of a type the registry has; undefined where it has none. Of servers that
   * is ERR_SOURCE_STATUS, but where an earlier read has said by which version to ask:
   * it may have another one by now. `tags` are those that earlier finds have given, by path.
   */
  async findList(
    type: EntryType,
    tags: Readonly<Record<string, string>> = {},
  ): Promise<FoundList | undefined> {
    const what = `the list of ${type}s`;
    for (const version of this.#version === undefined ? API_VERSIONS : [this.#version]) {
      for (const list of LISTS[type]) {
        const tag = Object.hasOwn(tags, list.path) ? tags[list.path] : undefined;
        const answer = await this.#options.connection.ask({
          what,
          url: this.#addressOf(list, version, { limit: 1 }),
          ...(tag === undefined ? {} : { headers: { 'if-none-match': tag } }),
          signal: this.#options.signal,
        });
        const { status } = answer;
        if (ABSENT.has(status)) continue;
        const isUnchanged = status === 304 && tag !== undefined;
        if (status !== 200 && !isUnchanged) throw statusUnexpected(what, status);
        this.#version = version;
        return {
          list,
          isUnchanged,
          tag: tagOf(answer) ?? (isUnchanged ? tag : undefined),
          view: shortHeader(answer, VIEW),
          date: dateOf(answer),
        };
      }
    }
    if (type === 'server' && this.#options.version === undefined) throw statusUnexpected(what, 404);
    return undefined;
  }

  /** A page of a list that was found, whatever the status; all of it, or what has changed since a time. */
  async askPage(
    what: string,
    list: ListOfType,
    { cursor, since }: { readonly cursor: string | undefined; readonly since?: string | undefined },
  ): Promise<DocumentAnswer> {
    const { connection, pageSize, signal } = this.#options;
    const url = this.#addressOf(list, this.#version ?? API_VERSIONS[0], {
      limit: Math.min(pageSize, list.mostRows),
      ...(since === undefined ? {} : { updated_since: since }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    return await connection.ask({ what, url, signal });
  }

  #addressOf(
    { path, tellsChanges }: ListOfType,
    version: string,
    query: Readonly<Record<string, string | number>>,
  ): URL {
    const { base } = this.#options;
    const url = joinAddress(base, `${base.pathname}${version}/${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    if (tellsChanges) url.searchParams.set('include_deleted', 'true');
    return url;
  }
}

function tagOf(answer: DocumentAnswer): string | undefined {
  return answer.headers.get(COVERS) === 'list' ? shortHeader(answer, 'etag') : undefined;
}

/** What is too long to be kept counts as not said. */
function shortHeader({ headers }: DocumentAnswer, name: string): string | undefined {
  const value = headers.get(name) ?? undefined;
  return value === undefined || value.length > 200 ? undefined : value;
}

function dateOf({ headers }: DocumentAnswer): Date | undefined {
  const date = new Date(headers.get('date') ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
