import { readListDocument, type Taken } from '@portolan/entry-format';
import { pageUnusable } from './errors.ts';

export interface PageEnd {
  readonly rowCount: number;
  /** Cursor of the next page; undefined on the last page. */
  readonly cursor: string | undefined;
}

const MAX_CURSOR_LENGTH = 8192;

export type PageRows = readonly Taken[];

/**
 * Parses in pieces of about a millisecond each. Throws ERR_SOURCE_RESPONSE, possibly after some rows, which
 * are then not used.
 */
export function* parsePage(
  what: string,
  key: string,
  bytes: Uint8Array,
  isFirst = true,
): Generator<PageRows, PageEnd> {
  const pieces = readListDocument(bytes, { list: key, beside: 'metadata' });
  let rowCount = 0;
  for (;;) {
    const { done, value } = next(what, pieces);
    if (done !== true) {
      rowCount += value.length;
      if (value.some((row) => !row.ok && row.because === 'not UTF-8'))
        throw pageUnusable(what, 'it is not JSON');
      yield value;
      continue;
    }
    const { list, isMap: isDocumentMap, beside } = value;
    if (!isDocumentMap) throw pageUnusable(what, 'it is JSON, but not an object');
    if (list === 'two of them') throw pageUnusable(what, `it has \`${key}\` twice`);
    // Some servers end a list with a page whose list is null. A first page without list does not describe the
    // source.
    if (list === 'null' && isFirst) throw pageUnusable(what, `it has null in place of the list \`${key}\``);
    if (list !== 'a list' && list !== 'null') throw pageUnusable(what, `it has no list \`${key}\``);
    const metadata = (beside?.ok === false ? beside : beside?.value) ?? {};
    if (beside?.ok === false || !isMap(metadata)) throw pageUnusable(what, 'its `metadata` is not an object');
    requireCount(what, metadata['count'], rowCount);
    return { rowCount, cursor: cursorOf(what, metadata) };
  }
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the next rows. Any fault of the scanner means that the bytes are not JSON. */
function next(what: string, pieces: ReturnType<typeof readListDocument>) {
  try {
    return pieces.next();
  } catch (cause) {
    throw pageUnusable(what, 'it is not JSON', cause);
  }
}

/** Throws when the count shows that rows are missing. */
function requireCount(what: string, count: unknown, found: number): void {
  if (count === undefined || count === null || count === found) return;
  const text = typeof count === 'number' ? String(count) : 'not a number';
  throw pageUnusable(what, `its \`count\` is ${text}, but it has ${found} rows`);
}

/**
 * Returns the cursor of the next page. Servers from before September 2025 write its key with an underscore.
 */
function cursorOf(what: string, metadata: Readonly<Record<string, unknown>>): string | undefined {
  const cursor = metadata['nextCursor'] ?? metadata['next_cursor'];
  if (cursor === undefined || cursor === null || cursor === '') return undefined;
  if (typeof cursor !== 'string') throw pageUnusable(what, 'its `nextCursor` is not a string');
  if (cursor.length > MAX_CURSOR_LENGTH)
    throw pageUnusable(what, `its \`nextCursor\` has more than ${MAX_CURSOR_LENGTH} characters`);
  return cursor;
}
