import { readdirSync } from 'node:fs';

/** How long what other processes still take away is waited for. */
const PATIENCE = { looks: 60, everyMs: 100 };

/** Something that tests have made in their folder for temporary files and not removed, and the file of them. */
export interface LeftBehind {
  readonly name: string;
  readonly file: string;
}

/** Looks after each test at the folder in which all tests of a run make theirs, so as to know whose is what is left at the end. */
export class LeftBehindCounter {
  readonly #folder: string;
  readonly #makers = new Map<string, string>();

  /** What is there now is nobody's. */
  constructor(folder: string) {
    this.#folder = folder;
    this.note('');
  }

  /** A test of a file has ended. */
  note(file: string): void {
    for (const name of readdirSync(this.#folder)) {
      if (!this.#makers.has(name)) this.#makers.set(name, file);
    }
  }

  /** What is left at the end. */
  list(): readonly LeftBehind[] {
    for (let looks = 0; ; looks += 1) {
      const left = readdirSync(this.#folder).flatMap((name) => {
        const file = this.#makers.get(name) ?? 'nobody knows which file';
        return file === '' ? [] : [{ name, file }];
      });
      if (left.length === 0 || looks === PATIENCE.looks) return left;
      // No test runs any more; only other processes can still remove something.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE.everyMs);
    }
  }
}
