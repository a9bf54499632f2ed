import { KnownTexts } from './known-texts.ts';

/** What is odd about a row, seen beside those before it. */
export type RowFault = 'twice' | 'in another case';

/** Which versions and names of a list were seen: a list may have more of them than a page, and memory is to stay small. */
export class KnownRows {
  readonly #seen = new KnownTexts();

  /** Notes a row; undefined where nothing like it came before. */
  add(name: string, version: string): RowFault | undefined {
    const isFirst = this.#seen.add('name in lower case', name.toLowerCase());
    const isFirstSo = this.#seen.add('name', name);
    const isNew = this.#seen.add('version', `${name}\0${version}`);
    if (!isNew) return 'twice';
    return isFirstSo && !isFirst ? 'in another case' : undefined;
  }
}
