import type { DocumentAnswer } from '@portolan/outbound';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { KnownRows, type RowFault } from './known-rows.ts';
import type { ListOfType } from './lists.ts';
import { parsePage } from './parse-page.ts';
import { parseRow } from './parse-row.ts';

/** Gives the page behind a cursor, the first one without; undefined where the list cannot be had so. */
export type AskPage = (cursor: string | undefined, what: string) => Promise<DocumentAnswer | undefined>;

/** A page that was read, without the bytes that it was read from. */
export interface ReadPage {
  /** For messages: `page 3 of the servers`. */
  readonly what: string;
  readonly rowCount: number;
  /** The last one first: whoever takes one takes it away, so that it need not be held until the page ends. */
  readonly rows: (SourceEntry | SkippedEntry)[];
  /** undefined: it is the last page. */
  readonly cursor: string | undefined;
  /** It has rows, and each of them stands before it in the list. */
  readonly isRepeated: boolean;
  /** The first row that excludes another one. */
  readonly contradiction: Contradiction | undefined;
}

export interface Contradiction {
  readonly place: string;
  readonly name: string;
  readonly fault: RowFault;
}

/** Asks for the pages of one list, and compares their rows with all before them. */
export class PageReader {
  readonly #list: ListOfType;
  readonly #ask: AskPage;
  readonly #known = new KnownRows();

  constructor(list: ListOfType, ask: AskPage) {
    this.#list = list;
    this.#ask = ask;
  }

  /** undefined where the page cannot be had; throws ERR_SOURCE_API_PAGE where it is none. */
  async read(number: number, cursor: string | undefined): Promise<ReadPage | undefined> {
    const list = this.#list;
    const what = `page ${number} of the ${list.key}`;
    const answer = await this.#ask(cursor, what);
    if (answer === undefined) return undefined;
    const page = parsePage(what, list.key, answer.bytes);
    const rows: (SourceEntry | SkippedEntry)[] = [];
    const contradictions: Contradiction[] = [];
    for (const [index, row] of page.rows.entries()) {
      const place = `${list.key}[${index}] of page ${number}`;
      const { address, item } = parseRow(list, row, place);
      rows.push({ ...item, scope: list.key });
      if (address === undefined) continue;
      const { name, version } = address;
      const fault = this.#known.add(name, version);
      if (fault !== undefined) contradictions.push({ place, name, fault });
    }
    const repeated = contradictions.filter(({ fault }) => fault === 'twice').length;
    return {
      what,
      rowCount: rows.length,
      rows: rows.toReversed(),
      cursor: page.cursor,
      isRepeated: repeated > 0 && repeated === rows.length,
      contradiction: contradictions[0],
    };
  }
}
