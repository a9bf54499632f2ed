import { type FSWatcher, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** What a file says now; undefined where it is not there, a sentence where it cannot be read. */
export type FileText = { readonly text: string } | { readonly fault: string } | undefined;

/** Larger files are not read. */
const MAX_BYTES = 4 * 1024 * 1024;

export interface WatchOptions {
  /** A file is taken when it says the same twice, with this time between, in milliseconds: else it could be half written. */
  readonly settleMs: number;
  /** How often it is looked at where nothing was heard of it, in milliseconds: not every file system tells. */
  readonly lookMs: number;
  /** What the file says, each time that it is something else. */
  readonly changed: (now: FileText) => void;
}

export const WATCH_TIMES = { settleMs: 200, lookMs: 10_000 } as const;

/** Reads a file, whatever stands at its place now. */
export async function readFileText(file: string): Promise<FileText> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return { fault: 'it is no file' };
    if (found.size > MAX_BYTES) return { fault: `it is larger than ${MAX_BYTES} bytes` };
    const bytes = await readFile(file);
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    return { fault: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

/**
 * Watches a file by its path: also one that is replaced by another, removed, or
 * not there yet. The folder is watched, since a watched file is gone with its
 * first replacement.
 */
export class WatchedFile {
  readonly #file: string;
  readonly #options: WatchOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #watcher: FSWatcher | undefined;
  #soon: NodeJS.Timeout | undefined;
  #told: string;
  #looking: Promise<void> | undefined;
  #isDue = false;

  /** `known` is what was read of it before. */
  constructor(file: string, known: FileText, options: WatchOptions) {
    this.#file = file;
    this.#options = options;
    this.#told = JSON.stringify(known ?? null);
    this.#timer = setInterval(() => this.#look(), options.lookMs);
    this.#listen();
    // It may have changed since it was read.
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
      // The folder was removed; the timer finds a new one.
      watcher.on('error', () => {
        watcher.close();
        this.#watcher = undefined;
      });
    } catch {
      // There is no such folder yet, or nothing more can be watched: the timer looks.
    }
  }

  /** Other files of the folder may be written all the time, such as the log of audit: that costs one look in a while. */
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
        if (text === this.#told) return;
        await wait(settleMs, undefined, { signal: this.#closing.signal });
        const again = await readFileText(this.#file);
        if (JSON.stringify(again ?? null) === text) {
          this.#told = text;
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
