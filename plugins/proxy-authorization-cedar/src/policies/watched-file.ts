import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Content of a file; undefined if it does not exist, `fault` if it cannot be read. */
export type FileText = { readonly text: string } | { readonly fault: string } | undefined;

const MAX_BYTES = 4 * 1024 * 1024;

export interface WatchOptions {
  /** Milliseconds after which a second read must match the first. Prevents use of a partly written file. */
  readonly settleMs: number;
  /** Polling interval in milliseconds, for file systems without change events. */
  readonly lookMs: number;
  readonly changed: (now: FileText) => void;
}

export const WATCH_TIMES = { settleMs: 200, lookMs: 10_000 } as const;

export async function readFileText(file: string): Promise<FileText> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return { fault: 'it is not a file' };
    if (stats.size > MAX_BYTES) return { fault: `it is larger than ${MAX_BYTES} bytes` };
    const bytes = await readFile(file);
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    return { fault: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

/**
 * Watches a file by its path, also when it is replaced, removed or missing. It watches the directory, because
 * a watch on the file ends with its first replacement.
 */
export class WatchedFile {
  readonly #file: string;
  readonly #options: WatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #watcher: FSWatcher | undefined;
  #soon: NodeJS.Timeout | undefined;
  #reported: string;
  #looking: Promise<void> | undefined;
  #isDue = false;

  /** `known` is the text that the caller has read already. */
  constructor(file: string, known: FileText, options: WatchOptions) {
    this.#file = file;
    this.#options = options;
    this.#reported = JSON.stringify(known ?? null);
    this.#timer = setInterval(() => this.#look(), options.lookMs);
    this.#listen();
    // The file may have changed since the caller read it.
    this.#look();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#soon);
    this.#watcher?.close();
    this.#closing.abort();
    await this.#looking;
  }

  #listen(): void {
    if (this.#watcher !== undefined || this.#closing.signal.aborted) return;
    try {
      const watcher = watch(path.dirname(this.#file), { persistent: false }, () => this.#lookSoon());
      this.#watcher = watcher;
      // The directory was removed; the timer finds a new one.
      watcher.on('error', () => {
        watcher.close();
        this.#watcher = undefined;
      });
    } catch {
      // The directory does not exist, or the limit of watches is reached: the timer polls.
    }
  }

  /**
   * Frequent writes to other files of the directory, such as the audit log, cause only one read per period.
   */
  #lookSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#look();
    }, this.#options.settleMs / 2);
  }

  #look(): void {
    if (this.#closing.signal.aborted) return;
    this.#listen();
    if (this.#looking !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#looking = this.#settle().finally(() => {
      this.#looking = undefined;
      if (this.#isDue && !this.#closing.signal.aborted) {
        this.#isDue = false;
        this.#look();
      }
    });
  }

  async #settle(): Promise<void> {
    const { settleMs, changed } = this.#options;
    try {
      let now = await readFileText(this.#file);
      for (;;) {
        const text = JSON.stringify(now ?? null);
        if (text === this.#reported) return;
        await wait(settleMs, undefined, { signal: this.#closing.signal });
        const again = await readFileText(this.#file);
        if (JSON.stringify(again ?? null) === text) {
          this.#reported = text;
          changed(again);
          return;
        }
        now = again;
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error;
    }
  }
}
