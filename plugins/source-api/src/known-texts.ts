import { hash, randomBytes } from 'node:crypto';
import { NumberSet } from './number-set.ts';

/**
 * Which texts were seen, as numbers, however long they are. Numbers of another
 * list, or of the next read, are others: nobody who publishes can make two texts
 * have one, and what has one by chance has not the next time.
 */
export class KnownTexts {
  readonly #seen = new NumberSet();
  readonly #salt = randomBytes(16).toString('base64url');

  /** Whether it was not there before, among those of its sort. */
  add(sort: string, text: string): boolean {
    // 52 bits, which a number holds exactly.
    const digits = hash('sha1', `${this.#salt}\0${sort}\0${text}`).slice(0, 13);
    return this.#seen.add(Number.parseInt(digits, 16));
  }
}
