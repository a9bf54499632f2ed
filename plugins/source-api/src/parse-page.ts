import { pageUnusable } from './errors.ts';

/** One page of a list, as it came: its rows are looked at one by one. */
export interface Page {
  readonly rows: readonly unknown[];
  /** undefined: it is the last page. */
  readonly cursor: string | undefined;
}

const LONGEST_CURSOR = 8192;

/** Reads an answer as a page of the list with this key. Throws ERR_SOURCE_API_PAGE. */
export function parsePage(what: string, key: string, bytes: Uint8Array): Page {
  const document = parseJson(what, bytes);
  if (!isMap(document)) throw pageUnusable(what, 'it is JSON, but no map');
  // A server in Go writes an empty list as null.
  const rows = document[key] === null ? [] : document[key];
  if (!Array.isArray(rows)) throw pageUnusable(what, `it has no list \`${key}\``);
  const metadata = document['metadata'] ?? {};
  if (!isMap(metadata)) throw pageUnusable(what, '`metadata` in it is no map');
  requireCount(what, metadata['count'], rows.length);
  return { rows, cursor: cursorOf(what, metadata) };
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(what: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw pageUnusable(what, 'it is no JSON', cause);
  }
}

/** A page that has lost rows on its way says so by its count. */
function requireCount(what: string, count: unknown, found: number): void {
  if (count === undefined || count === null || count === found) return;
  const said = typeof count === 'number' ? String(count) : 'no number';
  throw pageUnusable(what, `its \`count\` is ${said}, and it has ${found} rows`);
}

/** Documents of before September 2025 write it with an underscore. */
function cursorOf(what: string, metadata: Readonly<Record<string, unknown>>): string | undefined {
  const cursor = metadata['nextCursor'] ?? metadata['next_cursor'];
  if (cursor === undefined || cursor === null || cursor === '') return undefined;
  if (typeof cursor !== 'string') throw pageUnusable(what, 'its `nextCursor` is no text');
  if (cursor.length > LONGEST_CURSOR)
    throw pageUnusable(what, `its \`nextCursor\` has more than ${LONGEST_CURSOR} characters`);
  return cursor;
}
