import { hash } from 'node:crypto';

/**
 * Which versions and names of a list were seen, as numbers: a list may have more
 * of them than a page, and memory is to stay flat. Two that differ have one number
 * in one of 2^48 cases.
 */
export class KnownRows {
  readonly #versions = new Set<number>();
  /** By the name in lower case, the name. */
  readonly #names = new Map<number, number>();

  /** Whether this version was not seen before. */
  add(name: string, version: string): boolean {
    const before = this.#versions.size;
    this.#versions.add(numberOf(`${name}\0${version}`));
    return this.#versions.size > before;
  }

  /** Whether a name stands in the list in another case as well, and did so first. */
  isOtherCase(name: string): boolean {
    const key = numberOf(name.toLowerCase());
    const exact = numberOf(name);
    const first = this.#names.get(key);
    if (first === undefined) this.#names.set(key, exact);
    return first !== undefined && first !== exact;
  }
}

function numberOf(text: string): number {
  return Number.parseInt(hash('sha1', text).slice(0, 12), 16);
}
