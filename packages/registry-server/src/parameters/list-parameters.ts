import { type EntryType, isPortolanError } from '@portolan/plugin-api';
import type { ListQuery, RowKey } from '@portolan/registry';
import { cursorInvalid, cursorOfOtherFilter } from '../errors.ts';
import { cursor, decodeCursor } from './cursor.ts';
import type { Parameter, ParameterTable, ValuesOf } from './parameter.ts';
import { createQueryReader } from './read-values.ts';

const search = {
  description: 'Only entries whose name, title or description contains this text, in any letter case.',
  // Not every database can compare text with NUL.
  expected: 'text of at most 512 characters, without NUL',
  schema: { type: 'string', maxLength: 512, pattern: '^[^\\u0000]*$' },
} as const satisfies Parameter;

export const includeDeleted = {
  description: 'Includes withdrawn versions. Default: only with `updated_since`.',
  schema: { type: 'boolean' },
} as const satisfies Parameter;

/** Filters of a list of servers. Cursors of the list contain them. */
const serverFilters = {
  search,
  updated_since: {
    description: 'Only versions changed after this instant (RFC 3339).',
    expected: 'an RFC 3339 time such as 2026-01-31T12:00:00Z (with a plus sign as %2B)',
    schema: { type: 'string', format: 'date-time' },
  },
  version: {
    description: 'An exact version, or `latest` for one row per server. Default: all versions.',
    expected: 'latest or an exact version of at most 255 characters, without white space',
    schema: { type: 'string', maxLength: 255, pattern: '^[^\\s\\p{Cc}]+$', examples: ['latest'] },
  },
  include_deleted: includeDeleted,
} as const satisfies ParameterTable;

/** Filters of a list of skills or plugins. Cursors of the list contain them. */
const extensionFilters = {
  search,
  status: {
    description: 'Only entries with one of these statuses, separated by commas. Default: all statuses.',
    ignoresCase: true,
    schema: { type: 'array', items: { type: 'string', enum: ['active', 'deprecated', 'archived'] } },
  },
} as const satisfies ParameterTable;

export const listServersQuery = {
  limit: {
    description: 'Maximum number of rows on the page.',
    cap: 1000,
    schema: { type: 'integer', minimum: 1, default: 30 },
  },
  cursor,
  ...serverFilters,
} as const satisfies ParameterTable;

export const listExtensionQuery = {
  limit: {
    description: 'Maximum number of rows on the page.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
  },
  cursor,
  ...extensionFilters,
} as const satisfies ParameterTable;

/** Query for the reader, and the filters for the cursor of the next page. */
export interface ListRequest {
  readonly query: ListQuery;
  readonly filters: string;
}

/**
 * Returns the query for a list of servers. Takes absent filters from the cursor, because clients omit them on
 * later pages. Throws ERR_CURSOR_INVALID for a filter that differs from the cursor's.
 */
export function versionListRequest(
  registry: string,
  type: EntryType,
  values: ValuesOf<typeof listServersQuery>,
): ListRequest {
  const { after, filters } = resume({ registry, type }, values, serverFilters, readServerFilters);
  const updatedSince = filters.updated_since === undefined ? undefined : new Date(filters.updated_since);
  return {
    filters: canonical(filters),
    query: {
      type,
      limit: values.limit,
      includeDeleted: filters.include_deleted ?? updatedSince !== undefined,
      ...(after === undefined ? {} : { after }),
      ...(filters.search === undefined ? {} : { search: filters.search }),
      ...(filters.version === undefined ? {} : { version: filters.version }),
      ...(updatedSince === undefined ? {} : { updatedSince }),
    },
  };
}

/**
 * Returns the query for a list of skills or plugins, which contains only latest versions. Cursors work as for
 * servers.
 */
export function extensionListRequest(
  registry: string,
  type: EntryType,
  values: ValuesOf<typeof listExtensionQuery>,
): ListRequest {
  const { after, filters } = resume({ registry, type }, values, extensionFilters, readExtensionFilters);
  return {
    filters: canonical(filters),
    query: {
      type,
      limit: values.limit,
      version: 'latest',
      ...(after === undefined ? {} : { after }),
      ...(filters.search === undefined ? {} : { search: filters.search }),
      ...(filters.status === undefined ? {} : { statuses: filters.status }),
    },
  };
}

const readServerFilters = createQueryReader(serverFilters);
const readExtensionFilters = createQueryReader(extensionFilters);

interface Resumed<T extends ParameterTable> {
  readonly after: RowKey | undefined;
  readonly filters: ValuesOf<T>;
}

function resume<T extends ParameterTable>(
  scope: { readonly registry: string; readonly type: EntryType },
  values: ValuesOf<T> & { readonly cursor: string | undefined },
  table: T,
  read: (raw: string) => { readonly values: ValuesOf<T> },
): Resumed<T> {
  if (values.cursor === undefined) return { after: undefined, filters: pick(values, table) };
  const { after, filters } = decodeCursor(scope, values.cursor);
  if (filters === undefined) return { after, filters: pick(values, table) };
  const carried = readCarried(filters, read);
  for (const name of Object.keys(table)) {
    const requested = textOf(values[name]);
    if (requested !== undefined && requested !== textOf(carried[name])) throw cursorOfOtherFilter(name);
  }
  return { after, filters: carried };
}

/** Parses the filters in a cursor. Throws ERR_CURSOR_INVALID for filters that no request could have. */
function readCarried<V>(filters: string, read: (raw: string) => { readonly values: V }): V {
  try {
    return read(filters).values;
  } catch (error) {
    if (isPortolanError(error)) throw cursorInvalid();
    throw error;
  }
}

function pick<T extends ParameterTable>(values: ValuesOf<T>, table: T): ValuesOf<T> {
  const names = new Set(Object.keys(table));
  // SAFETY: the table's names, with values from its parsers.
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name))) as ValuesOf<T>;
}

/** Formats filters as a query string, in the order of the table. */
function canonical(filters: Readonly<Record<string, unknown>>): string {
  return Object.entries(filters)
    .map(([name, value]) => [name, textOf(value)] as const)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${name}=${encodeURIComponent(text ?? '')}`)
    .join('&');
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(',') : JSON.stringify(value);
}
