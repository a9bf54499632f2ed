import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Denial } from '@portolan/plugin-api';

/** Maximum number of denials, and number of lines at which the file is rewritten. */
const MAX_DENIALS = 1000;
const MAX_LINES = 2 * MAX_DENIALS;

/**
 * Records denials as JSON lines in a file that only this user can read, for `portolan authz why`. Only one
 * process writes it at a time.
 */
export class DenialBook {
  readonly #file: string;
  #waiting: string[] = [];
  #lines: number | undefined;
  /** The file may end with an incomplete line, after a crash or on a full disk. */
  #isTorn = false;
  #writing: Promise<void> | undefined;

  constructor(directory: string) {
    this.#file = path.join(directory, 'denials.jsonl');
  }

  /** Records a denial. Rejects if it cannot be written. */
  async note(denial: Denial): Promise<void> {
    this.#waiting.push(`${JSON.stringify(denial)}\n`);
    // Denials that arrive during a write are written together in the next one.
    if (this.#writing !== undefined) {
      await this.#writing.catch(() => undefined);
    }
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async close(): Promise<void> {
    await this.#writing?.catch(() => undefined);
  }

  async #write(): Promise<void> {
    const lines = this.#waiting.splice(0).slice(-MAX_DENIALS);
    if (lines.length === 0) return;
    if (this.#lines === undefined) {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      const text = await this.#readText();
      this.#lines = linesOf(text).length;
      this.#isTorn = text !== '' && !text.endsWith('\n');
    }
    const start = this.#isTorn ? '\n' : '';
    this.#isTorn = true;
    await appendFile(this.#file, start + lines.join(''), { mode: 0o600 });
    this.#isTorn = false;
    this.#lines += lines.length;
    if (this.#lines > MAX_LINES) await this.#shorten();
  }

  async #shorten(): Promise<void> {
    const remaining = linesOf(await this.#readText()).slice(-MAX_DENIALS);
    const aside = `${this.#file}.new`;
    await rm(aside, { force: true });
    await writeFile(aside, remaining.map((line) => `${line}\n`).join(''), { mode: 0o600, flag: 'wx' });
    await rename(aside, this.#file);
    this.#lines = remaining.length;
  }

  async #readText(): Promise<string> {
    return await readFile(this.#file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
      throw error;
    });
  }
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
