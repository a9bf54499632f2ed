import { readdirSync } from 'node:fs';

/** Maximum wait for other processes that still remove files, in milliseconds. */
const PATIENCE = { looks: 60, everyMs: 100 };

/** An item in the temporary folder that a test did not remove, with the test's file. */
export interface LeftBehind {
  readonly name: string;
  readonly file: string;
}

/**
 * Checks the common temporary folder after each test, so that the report names the file that left something.
 */
export class LeftBehindCounter {
  readonly #folder: string;
  readonly #makers = new Map<string, string>();

  /** Ignores what exists before the first test. */
  constructor(folder: string) {
    this.#folder = folder;
    this.note('');
  }

  /** Records the items of a test file that has ended. */
  note(file: string): void {
    for (const name of readdirSync(this.#folder)) {
      if (!this.#makers.has(name)) this.#makers.set(name, file);
    }
  }

  /** Items that remain at the end. */
  list(): readonly LeftBehind[] {
    for (let looks = 0; ; looks += 1) {
      const left = readdirSync(this.#folder).flatMap((name) => {
        const file = this.#makers.get(name) ?? 'nobody knows which file';
        return file === '' ? [] : [{ name, file }];
      });
      if (left.length === 0 || looks === PATIENCE.looks) return left;
      // No test runs now. Only other processes can still remove files.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE.everyMs);
    }
  }
}
