import type { Contradiction } from './errors.ts';
import type { Taken } from '@portolan/entry-format';
import type { DocumentResponse } from '@portolan/outbound';
import type { SkippedEntry, SourceEntry, EntryType } from '@portolan/plugin-api';
import { KnownRows } from './known-rows.ts';
import type { ListOfType } from './lists.ts';
import { parsePage, isMap } from './parse-page.ts';

interface Row {
  /** Name and version of the row; undefined when the row does not contain them. */
  readonly address: { readonly name: string; readonly version: string } | undefined;
  readonly item: SourceEntry | SkippedEntry;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const PORTOLAN = 'portolan.dev';

/** Parses a row. A row without a document is skipped with a reason. */
function parseRow(list: ListOfType, row: unknown, place: string): Row {
  const { type, isWrapped } = list;
  const document = isWrapped && isMap(row) ? row[type] : row;
  if (!isMap(document)) {
    const item = { skipped: place, because: `There is no object${isWrapped ? ` \`${type}\` in it` : ''}.` };
    return { address: undefined, item };
  }
  const meta = isWrapped && isMap(row) ? row['_meta'] : undefined;
  return { address: addressOf(type, document), item: { type, document, place, ...carried(meta) } };
}

function addressOf(type: EntryType, document: Readonly<Record<string, unknown>>): Row['address'] {
  const { namespace, name, version } = document;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  if (type === 'server') return { name, version };
  return typeof namespace === 'string' ? { name: `${namespace}/${name}`, version } : undefined;
}

/** The reading registry judges the registry's statements and the registries that the row passed. */
function carried(meta: unknown): Pick<SourceEntry, 'official' | 'path'> {
  const official = isMap(meta) ? meta[OFFICIAL] : undefined;
  const way = isMap(meta) ? meta[PORTOLAN] : undefined;
  return {
    // Any content is possible under this key. The registry that stores the document checks it.
    ...(isMap(official) ? { official } : {}),
    ...(isMap(way) && way['origin'] !== undefined ? { path: pathOf(way) } : {}),
  };
}

/** Not corrected: a value that is no list of texts leads to a refused row. */
function pathOf({ origin, via }: Readonly<Record<string, unknown>>): readonly string[] {
  // SAFETY: the registry that stores it checks it, as above.
  return [origin, ...(Array.isArray(via) ? via : [via]).filter((mark) => mark !== undefined)] as string[];
}

/** Function that requests one page. Returns undefined where the list is not available in this form. */
export type AskPage = (cursor: string | undefined, what: string) => Promise<DocumentResponse | undefined>;

export interface ReadPage {
  /** Description for messages: `page 3 of the servers`. */
  readonly what: string;
  readonly rowCount: number;
  /** Cursor of the next page; undefined on the last page. */
  readonly cursor: string | undefined;
  /** Whether all rows of the page appeared before in the list. */
  readonly isRepeated: boolean;
  /** The first row that contradicts another one. */
  readonly contradiction: Contradiction | undefined;
}

/** Reads pages and compares their rows with all earlier ones. */
export class PageReader {
  readonly #list: ListOfType;
  readonly #ask: AskPage;
  readonly #known = new KnownRows();

  constructor(list: ListOfType, ask: AskPage) {
    this.#list = list;
    this.#ask = ask;
  }

  /**
   * Yields a few rows at a time, so that other work can run; returns the result for the page. Undefined where
   * the page is not available; throws ERR_SOURCE_RESPONSE for an invalid one.
   */
  async *read(
    number: number,
    cursor: string | undefined,
  ): AsyncGenerator<SourceEntry | SkippedEntry, ReadPage | undefined> {
    const list = this.#list;
    const what = `page ${number} of the ${list.key}`;
    const response = await this.#ask(cursor, what);
    if (response === undefined) return undefined;
    let contradiction: Contradiction | undefined;
    let [index, repeated] = [0, 0];
    const pieces = parsePage(what, list.key, response.bytes, cursor === undefined);
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) {
        const isRepeated = repeated > 0 && repeated === index;
        return { what, ...value, isRepeated, contradiction };
      }
      for (const taken of value) {
        const place = `${list.key}[${index}] of page ${number}`;
        const { address, item } = rowOf(list, taken, place);
        index += 1;
        const fault = address === undefined ? undefined : this.#known.add(address.name, address.version);
        if (fault === 'twice') repeated += 1;
        if (address !== undefined && fault !== undefined)
          contradiction ??= { place, name: address.name, fault };
        yield { ...item, scope: list.key };
      }
    }
  }
}

function rowOf(list: ListOfType, taken: Taken, place: string): Row {
  if (taken.ok) return parseRow(list, taken.value, place);
  return { address: undefined, item: { skipped: place, because: `The row is ${taken.because}.` } };
}
