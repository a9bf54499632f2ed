import { KnownTexts } from './known-texts.ts';

export type RowFault = 'twice' | 'in another case';

/** Needs little memory: a list may have many pages. */
export class KnownRows {
  readonly #seen = new KnownTexts();

  /** Returns the row's fault. */
  add(name: string, version: string): RowFault | undefined {
    const isFirst = this.#seen.add('name in lower case', name.toLowerCase());
    const isFirstSo = this.#seen.add('name', name);
    const isNew = this.#seen.add('version', `${name}\0${version}`);
    if (!isNew) return 'twice';
    return isFirstSo && !isFirst ? 'in another case' : undefined;
  }
}
