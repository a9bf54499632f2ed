import { hash, randomBytes } from 'node:crypto';

const FIRST_PLACES = 1024;

/**
 * A set of numbers that takes about twelve bytes each. A `Set` takes four times as much for large numbers,
 * and the garbage collector visits each.
 */
export class NumberSet {
  /** Table of numbers, in which NaN marks an empty place. */
  #places = emptyPlaces(FIRST_PLACES);
  #size = 0;

  /** Adds a number. Returns whether it was new. */
  add(number: number): boolean {
    const place = placeOf(this.#places, number);
    if (this.#places[place] === number) return false;
    this.#places[place] = number;
    this.#size += 1;
    if (this.#size > this.#places.length * 0.75) this.#grow();
    return true;
  }

  #grow(): void {
    const grown = emptyPlaces(this.#places.length * 2);
    for (const number of this.#places) if (!Number.isNaN(number)) grown[placeOf(grown, number)] = number;
    this.#places = grown;
  }
}

function emptyPlaces(count: number): Float64Array {
  return new Float64Array(count).fill(Number.NaN);
}

/** Returns the position of a number, or the empty position for it. There is always an empty one. */
function placeOf(places: Float64Array, number: number): number {
  let place = number % places.length;
  for (;;) {
    const there = places[place] ?? Number.NaN;
    if (there === number || Number.isNaN(there)) return place;
    place = (place + 1) % places.length;
  }
}

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
