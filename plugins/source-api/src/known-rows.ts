import { KnownTexts } from './known-texts.ts';

/** A fault of a row compared with earlier ones. */
export type RowFault = 'twice' | 'in another case';

/** Remembers the versions and names of a list, in little memory: a list may have many pages. */
export class KnownRows {
  readonly #seen = new KnownTexts();

  /** Adds a row; returns its fault, or undefined. */
  add(name: string, version: string): RowFault | undefined {
    const isFirst = this.#seen.add('name in lower case', name.toLowerCase());
    const isFirstSo = this.#seen.add('name', name);
    const isNew = this.#seen.add('version', `${name}\0${version}`);
    if (!isNew) return 'twice';
    return isFirstSo && !isFirst ? 'in another case' : undefined;
  }
}
