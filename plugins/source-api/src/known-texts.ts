import { hash, randomBytes } from 'node:crypto';
import { NumberSet } from './number-set.ts';

/**
 * Remembers texts as numbers. The numbers differ in each read, so that no publisher can create two texts with
 * the same number, and an accidental match does not repeat.
 */
export class KnownTexts {
  readonly #seen = new NumberSet();
  readonly #salt = randomBytes(16).toString('base64url');

  /** Adds a text. Returns whether it was new among texts of this sort. */
  add(sort: string, text: string): boolean {
    // Uses 52 bits, which a number represents exactly.
    const digits = hash('sha1', `${this.#salt}\0${sort}\0${text}`).slice(0, 13);
    return this.#seen.add(Number.parseInt(digits, 16));
  }
}
