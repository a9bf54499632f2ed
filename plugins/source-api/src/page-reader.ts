import type { Contradiction } from './errors.ts';
import type { Taken } from '@portolan/entry-format';
import type { DocumentAnswer } from '@portolan/outbound';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { KnownRows } from './known-rows.ts';
import type { ListOfType } from './lists.ts';
import { parsePage } from './parse-page.ts';
import { parseRow, type Row } from './parse-row.ts';

/** Gives the page behind a cursor, the first one without; undefined where the list cannot be had so. */
export type AskPage = (cursor: string | undefined, what: string) => Promise<DocumentAnswer | undefined>;

/** A page whose rows were read. */
export interface ReadPage {
  /** For messages: `page 3 of the servers`. */
  readonly what: string;
  readonly rowCount: number;
  /** undefined: it is the last page. */
  readonly cursor: string | undefined;
  /** It has rows, and each of them stands before it in the list. */
  readonly isRepeated: boolean;
  /** The first row that excludes another one. */
  readonly contradiction: Contradiction | undefined;
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

  /**
   * Yields the rows of a page as they are parsed, a few at a time, so that whoever
   * takes them can let others work; answers what is known of it in the end. undefined
   * where the page cannot be had; throws ERR_SOURCE_RESPONSE where it is none.
   */
  async *read(
    number: number,
    cursor: string | undefined,
  ): AsyncGenerator<SourceEntry | SkippedEntry, ReadPage | undefined> {
    const list = this.#list;
    const what = `page ${number} of the ${list.key}`;
    const answer = await this.#ask(cursor, what);
    if (answer === undefined) return undefined;
    let contradiction: Contradiction | undefined;
    let [index, repeated] = [0, 0];
    const pieces = parsePage(what, list.key, answer.bytes, cursor === undefined);
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
