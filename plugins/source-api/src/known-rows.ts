import { KnownTexts } from './known-texts.ts';

export type RowFault = 'twice' | 'in another case';

/**
 * Remembers the rows of a list to find contradictions. Needs little memory, because a list may have many
 * pages.
 */
export class KnownRows {
  readonly #seen = new KnownTexts();

  /** Adds a row and returns its fault, if an earlier row contradicts it. */
  add(name: string, version: string): RowFault | undefined {
    const isFirst = this.#seen.add('name in lower case', name.toLowerCase());
    const isFirstSo = this.#seen.add('name', name);
    const isNew = this.#seen.add('version', `${name}\0${version}`);
    if (!isNew) return 'twice';
    return isFirstSo && !isFirst ? 'in another case' : undefined;
  }
}
