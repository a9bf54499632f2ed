import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Denial } from '@portolan/plugin-api';

/** Denials that are kept, and lines after which the file is written anew. */
const MOST_DENIALS = 1000;
const MOST_LINES = 2 * MOST_DENIALS;

/**
 * The last denials of a workload, a line of JSON each, in a file of this user
 * alone: `portolan authz why` reads it. One process writes it at a time.
 */
export class DenialBook {
  readonly #file: string;
  #waiting: string[] = [];
  #lines: number | undefined;
  #writing: Promise<void> | undefined;

  constructor(directory: string) {
    this.#file = path.join(directory, 'denials.jsonl');
  }

  /** Resolves when it is in the file. Rejects where that cannot be. */
  async note(denial: Denial): Promise<void> {
    this.#waiting.push(`${JSON.stringify(denial)}\n`);
    // Whoever comes while lines are written waits for those of the next time, all of them together.
    if (this.#writing !== undefined) {
      await this.#writing.catch(() => undefined);
    }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  /** Waits for what is written. */
  async close(): Promise<void> {
    await this.#writing?.catch(() => undefined);
  }

  async #write(): Promise<void> {
    const lines = this.#waiting.splice(0).slice(-MOST_DENIALS);
    if (lines.length === 0) return;
    if (this.#lines === undefined) {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      this.#lines = (await this.#read()).length;
    }
    await appendFile(this.#file, lines.join(''), { mode: 0o600 });
    this.#lines += lines.length;
    if (this.#lines > MOST_LINES) await this.#shorten();
  }

  async #shorten(): Promise<void> {
    const kept = (await this.#read()).slice(-MOST_DENIALS);
    const aside = `${this.#file}.new`;
    await rm(aside, { force: true });
    await writeFile(aside, kept.map((line) => `${line}\n`).join(''), { mode: 0o600, flag: 'wx' });
    await rename(aside, this.#file);
    this.#lines = kept.length;
  }

  async #read(): Promise<readonly string[]> {
    const text = await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
      throw error;
    });
    return text.split('\n').filter((line) => line !== '');
  }
}
