import type { DocumentResponse } from '@portolan/outbound';
import { type EntryType, joinAddress } from '@portolan/plugin-api';
import type { Connection } from './connection.ts';
import { statusUnexpected } from './errors.ts';
import { LISTS, type ListOfType } from './lists.ts';

/** The supported API versions, the preferred one first. */
const API_VERSIONS = ['v0.1', 'v0'] as const;

/** Statuses that mean that the registry does not have the list. */
const ABSENT: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/**
 * Header by which the registry declares that the entity tag of a page changes with anything in the whole
 * list.
 */
const COVERS = 'portolan-tag-covers';

/**
 * Header with an opaque tag of the rows that the caller may see. The tag changes when other sources or
 * permissions change these rows, even without a write.
 */
const VIEW = 'portolan-view';

export interface VersionedList {
  readonly list: ListOfType;
  /** Whether nothing has changed since the given tag. */
  readonly isUnchanged: boolean;
  /** Tag of the whole list; undefined where the registry declares none. */
  readonly tag: string | undefined;
  /** Tag of what decides the visible rows; undefined where the registry declares none. */
  readonly view: string | undefined;
  /** The time of the registry's clock. */
  readonly date: Date | undefined;
}

export interface RegistryApiOptions {
  readonly base: URL;
  readonly connection: Connection;
  readonly pageSize: number;
  readonly signal: AbortSignal;
  /** API version that an earlier read used. Undefined: it is detected. */
  readonly version?: string | undefined;
}

export class RegistryApi {
  readonly #options: RegistryApiOptions;
  #version: string | undefined;

  constructor(options: RegistryApiOptions) {
    this.#options = options;
    this.#version = options.version;
  }

  /** API version in use. Undefined until a list was found. */
  get version(): string | undefined {
    return this.#version;
  }

  /**
   * Returns undefined where the registry has none. For servers that throws ERR_SOURCE_STATUS, except when an
   * earlier read determined the version, which may have changed. `tags` are those of earlier finds, by path.
   */
  async findList(
    type: EntryType,
    tags: Readonly<Record<string, string>> = {},
  ): Promise<VersionedList | undefined> {
    const what = `the list of ${type}s`;
    for (const version of this.#version === undefined ? API_VERSIONS : [this.#version]) {
      for (const list of LISTS[type]) {
        const tag = Object.hasOwn(tags, list.path) ? tags[list.path] : undefined;
        const response = await this.#options.connection.ask({
          what,
          url: this.#addressOf(list, version, { limit: 1 }),
          ...(tag === undefined ? {} : { headers: { 'if-none-match': tag } }),
          signal: this.#options.signal,
        });
        const { status } = response;
        if (ABSENT.has(status)) continue;
        const isUnchanged = status === 304 && tag !== undefined;
        if (status !== 200 && !isUnchanged) throw statusUnexpected(what, status);
        this.#version = version;
        return {
          list,
          isUnchanged,
          tag: tagOf(response) ?? (isUnchanged ? tag : undefined),
          view: shortHeader(response, VIEW),
          date: dateOf(response),
        };
      }
    }
    if (type === 'server' && this.#options.version === undefined) throw statusUnexpected(what, 404);
    return undefined;
  }

  /**
   * Requests a page of the whole list, or of the changes since a time. Returns the response with any status.
   */
  async askPage(
    what: string,
    list: ListOfType,
    { cursor, since }: { readonly cursor: string | undefined; readonly since?: string | undefined },
  ): Promise<DocumentResponse> {
    const { connection, pageSize, signal } = this.#options;
    const url = this.#addressOf(list, this.#version ?? API_VERSIONS[0], {
      limit: Math.min(pageSize, list.maxRows),
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

function tagOf(response: DocumentResponse): string | undefined {
  return response.headers.get(COVERS) === 'list' ? shortHeader(response, 'etag') : undefined;
}

/** Returns a header; undefined when it is too long to store. */
function shortHeader({ headers }: DocumentResponse, name: string): string | undefined {
  const value = headers.get(name) ?? undefined;
  return value === undefined || value.length > 200 ? undefined : value;
}

function dateOf({ headers }: DocumentResponse): Date | undefined {
  const date = new Date(headers.get('date') ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
