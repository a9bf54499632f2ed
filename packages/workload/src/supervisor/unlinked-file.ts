import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Temporary file without a name, which the system deletes when the last process closes it or ends. */
export class UnlinkedFile {
  #descriptor: number | undefined;

  constructor() {
    const file = path.join(tmpdir(), `portolan-${randomUUID()}`);
    try {
      this.#descriptor = openSync(file, 'ax+', 0o600);
      unlinkSync(file);
    } catch {
      // If the file cannot be created, such as on a full disk, the output of the process is discarded.
    }
  }

  /** Value for the `stdio` of a child process. */
  get stdio(): number | 'ignore' {
    return this.#descriptor ?? 'ignore';
  }

  /** Returns the content, empty if the file could not be created or is closed. */
  read(): string {
    if (this.#descriptor === undefined) return '';
    const bytes = Buffer.alloc(fstatSync(this.#descriptor).size);
    readSync(this.#descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8');
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
