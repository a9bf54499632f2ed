import { type FileHandle, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from '@portolan/run-spec';
import { makeFolders } from '../../state/make-folders.ts';

export interface BoundedLogOptions {
  readonly file: string;
  /**
   * Maximum size of the log file in bytes. A larger file is renamed to `FILE.1`, so both together take up to
   * twice as much.
   */
  readonly maxBytes: number;
  /** Maximum size in bytes of lines that wait to be written. Further lines are dropped. */
  readonly maxWaitingBytes?: number;
  /** Delay before the next attempt after a failed write, in milliseconds. */
  readonly retryMs?: number;
  readonly nowMs?: () => number;
}

const MAX_WAITING = 1024 * 1024;
const RETRY_MS = 10_000;

/**
 * Log file of bounded size. If lines arrive too fast or the disk is full, it drops lines, and the next
 * written line says how many. Never throws or blocks its caller.
 */
export class BoundedLog {
  readonly #options: BoundedLogOptions;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #fault = '';
  #handle: FileHandle | undefined;
  #size = 0;
  #failedAt: number | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: BoundedLogOptions) {
    this.#options = options;
  }

  write(line: string): void {
    const { maxWaitingBytes = MAX_WAITING } = this.#options;
    if (this.#isClosed || this.#isPaused || this.#waitingBytes + line.length > maxWaitingBytes) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length + 1;
    this.#writing ??= this.#writeAll();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#closeFile();
  }

  get #isPaused(): boolean {
    const { retryMs = RETRY_MS } = this.#options;
    return this.#failedAt !== undefined && this.#now() - this.#failedAt < retryMs;
  }

  #now(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      try {
        await this.#append(lines);
        this.#failedAt = undefined;
      } catch (error) {
        this.#failedAt = this.#now();
        this.#fault = textOf(error);
        this.#lost += lines.length + this.#waiting.length;
        this.#waiting = [];
        this.#waitingBytes = 0;
        await this.#closeFile();
      }
    }
    this.#writing = undefined;
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { file, maxBytes } = this.#options;
    if (this.#handle === undefined) {
      await makeFolders(path.dirname(file), 0o700);
      this.#handle = await open(file, 'a', 0o600);
      this.#size = (await this.#handle.stat()).size;
    }
    const lost = this.#lost;
    const why = this.#fault === '' ? 'they came too fast' : this.#fault;
    const notice = lost === 0 ? [] : [`[portolan: ${lost} lines are missing here: ${why}]`];
    const bytes = Buffer.from([...notice, ...lines, ''].join('\n'));
    await this.#handle.appendFile(bytes);
    this.#lost -= lost;
    this.#fault = '';
    this.#size += bytes.length;
    if (this.#size <= maxBytes) return;
    await this.#closeFile();
    await rename(file, `${file}.1`);
  }

  async #closeFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    try {
      await handle?.close();
    } catch (error) {
      this.#fault = textOf(error);
    }
  }
}
