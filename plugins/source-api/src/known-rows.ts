import { hash, randomBytes } from 'node:crypto';
import { NumberSet } from './number-set.ts';

/** What is odd about a row, seen beside those before it. */
export type RowFault = 'twice' | 'in another case';

/**
 * Which versions and names of a list were seen, as numbers: a list may have more
 * of them than a page, and memory is to stay small. Numbers of another list, or
 * of the next read, are others: nobody who publishes can make two rows have one,
 * and what has one by chance has not the next time.
 */
export class KnownRows {
  readonly #seen = new NumberSet();
  readonly #salt = randomBytes(16).toString('base64url');

  /** Notes a row; undefined where nothing like it came before. */
  add(name: string, version: string): RowFault | undefined {
    const isFirst = this.#note('name in lower case', name.toLowerCase());
    const isFirstSo = this.#note('name', name);
    const isNew = this.#note('version', `${name}\0${version}`);
    if (!isNew) return 'twice';
    return isFirstSo && !isFirst ? 'in another case' : undefined;
  }

  /** Whether it was not noted before. */
  #note(what: string, text: string): boolean {
    // 52 bits, which a number holds exactly.
    const digits = hash('sha1', `${this.#salt}\0${what}\0${text}`).slice(0, 13);
    return this.#seen.add(Number.parseInt(digits, 16));
  }
}
