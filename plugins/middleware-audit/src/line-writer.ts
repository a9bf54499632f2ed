import { setTimeout as pass } from 'node:timers/promises';
import type { Logger } from '@portolan/plugin-api';
import type { LostLines } from './audit-line.ts';
import { LineQueue } from './line-queue.ts';
import type { LineSink } from './line-sink.ts';

export interface LineWriterOptions {
  readonly sink: LineSink;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Formats the line that reports missing lines. */
  readonly formatLost: (lost: LostLines) => string;
  /** Maximum number of queued bytes. Default: 16 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds before a failed write is retried. Default: 1 s. */
  readonly retryMs?: number;
  /** Maximum time in milliseconds that `close` waits for the last write. Default: 3 s. */
  readonly closeMs?: number;
  /** Maximum time in milliseconds that `accept` waits for a line. Default: 5 s. */
  readonly acceptMs?: number;
  /**
   * Milliseconds for which lines are collected into one write, unless a caller waits for one: a write costs
   * more than a line. 0 when lines already arrive together. Default: 5 ms.
   */
  readonly gatherMs?: number;
  /** Called when the log becomes unwritable, and when it recovers. */
  readonly troubled?: (isTroubled: boolean) => void;
}

/** Number of consecutive failures between two reports of the same failure. */
const FAILURES_A_REMINDER = 60;

/**
 * Writes lines in order, batched over a few milliseconds. Unwritable lines are retried, up to a bound. Beyond
 * it, one line reports how many are missing.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #queue: LineQueue;
  readonly #writeAtExit = (): void => this.#flushAtOnce();
  /** Serializes writes, reopens and the close. */
  #work: Promise<void> = Promise.resolve();
  #isAwake = false;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #lost: { count: number; readonly since: Date } | undefined;
  #closed: Promise<void> | undefined;
  #takenBytes = 0;
  #writtenBytes = 0;
  readonly #waiting = new Set<(isFailing: boolean) => void>();
  /** Writes the collected lines now instead of after a few milliseconds. */
  #hurry: (() => void) | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
    this.#queue = new LineQueue(options.maxBytes);
    process.on('exit', this.#writeAtExit);
  }

  /** Queues a line. Never waits and never throws. */
  write(line: string): void {
    if (this.#closed !== undefined || !this.#queue.hasRoomFor(line)) return this.lose();
    this.#tellLost();
    this.#push(line);
    this.#wake();
  }

  /**
   * Returns whether the line is in the log. While the log is unwritable, accepts no line. A line that is not
   * written in time stays queued.
   */
  async accept(line: string): Promise<boolean> {
    if (this.#failures > 0 || this.#closed !== undefined || !this.#queue.hasRoomFor(line)) return false;
    this.write(line);
    const until = this.#takenBytes;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const late = setTimeout(() => resolve(false), this.#options.acceptMs ?? 5000);
    const look = (isFailing: boolean): void => {
      if (this.#writtenBytes >= until) resolve(true);
      else if (isFailing) resolve(false);
    };
    this.#waiting.add(look);
    this.#hurry?.();
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(look);
    }
  }

  #push(line: string): void {
    this.#takenBytes += this.#queue.push(line);
  }

  /** Counts a line that could not be formatted as lost. */
  lose(): void {
    if (this.#lost === undefined) {
      this.#lost = { count: 0, since: this.#options.clock() };
      this.#options.logger.error({ file: this.#options.sink.name }, 'lines of the audit log are being lost');
    }
    this.#lost.count += 1;
  }

  /** Throws on failure and keeps the open file. Lines that cannot be written now go to the new file. */
  async reopen(): Promise<void> {
    if (this.#closed !== undefined) return await this.#closed;
    await this.#after(async () => {
      await this.#flush();
      await this.#options.sink.reopen();
      this.#endPause();
    });
  }

  /** Writes queued lines as far as time allows. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { sink, logger, closeMs = 3000 } = this.#options;
    clearTimeout(this.#retry);
    this.#hurry?.();
    const done = new AbortController();
    const closed = this.#after(async () => {
      this.#tellLost();
      await this.#flush();
      await sink.close();
    });
    // ignored: the wait was aborted below
    const late = pass(closeMs, 'late', { signal: done.signal }).catch(() => 'aborted');
    try {
      await Promise.race([closed, late]);
    } finally {
      done.abort();
      process.off('exit', this.#writeAtExit);
      const lost = this.#queue.lineCount + (this.#lost?.count ?? 0);
      if (lost > 0) logger.error({ file: sink.name, lost }, 'lines of the audit log are lost');
    }
  }

  /** Runs an action after the previous one. Its error goes to the caller and does not stop later actions. */
  #after(action: () => Promise<void>): Promise<void> {
    const done = this.#work.then(action);
    this.#work = done.catch(() => undefined); // the caller gets the error from `done`
    return done;
  }

  /** Starts a write unless one is scheduled. It includes lines that arrive until then. */
  #wake(): void {
    if (this.#isAwake || this.#retry !== undefined || this.#closed !== undefined) return;
    this.#isAwake = true;
    void this.#after(async () => {
      await this.#gather();
      await this.#writeBatch();
      this.#isAwake = false;
      if (!this.#queue.isEmpty) this.#wake();
    });
  }

  async #gather(): Promise<void> {
    const { gatherMs = 5 } = this.#options;
    if (gatherMs === 0 || this.#waiting.size > 0 || this.#closed !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, gatherMs);
    this.#hurry = resolve;
    await promise;
    clearTimeout(timer);
    this.#hurry = undefined;
  }

  async #flush(): Promise<void> {
    while (!this.#queue.isEmpty) if (!(await this.#writeBatch())) return;
  }

  async #writeBatch(): Promise<boolean> {
    const batch = this.#queue.take();
    if (batch.length === 0) return true;
    const { bytes, error } = await this.#options.sink.append(batch);
    this.#queue.remove(bytes);
    this.#writtenBytes += bytes;
    if (bytes < batch.length) this.#failed(error);
    else this.#succeeded();
    for (const look of this.#waiting) look(bytes < batch.length);
    return bytes === batch.length;
  }

  #failed(error: unknown): void {
    const { sink, logger, retryMs = 1000 } = this.#options;
    if (this.#failures % FAILURES_A_REMINDER === 0) {
      const waiting = this.#queue.lineCount;
      const lost = this.#lost?.count ?? 0;
      logger.error({ file: sink.name, waiting, lost, error }, 'the audit log cannot be written');
    }
    this.#failures += 1;
    if (this.#failures === 1) this.#options.troubled?.(true);
    if (this.#closed !== undefined) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.#endPause(), retryMs).unref();
  }

  #succeeded(): void {
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#options.troubled?.(false);
      this.#options.logger.warn({ file: this.#options.sink.name }, 'the audit log can be written again');
    }
    this.#tellLost();
  }

  #endPause(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (!this.#queue.isEmpty) this.#wake();
  }

  /** Inserts the line about missing lines behind all earlier lines. */
  #tellLost(): void {
    if (this.#lost === undefined) return;
    const { sink, logger, clock, formatLost } = this.#options;
    const { count, since } = this.#lost;
    this.#lost = undefined;
    this.#push(formatLost({ count, since, until: clock() }));
    logger.warn({ file: sink.name, lost: count }, 'lines of the audit log were lost');
  }

  /**
   * Writes the queued lines synchronously, because the process ends now. Lines of a write in progress are
   * written again: duplicates have the same id and are better than losses.
   */
  #flushAtOnce(): void {
    const { sink, logger } = this.#options;
    try {
      while (!this.#queue.isEmpty) {
        const batch = this.#queue.take();
        sink.appendAtOnce(batch);
        this.#queue.remove(batch.length);
      }
    } catch (error) {
      logger.error(
        { file: sink.name, lost: this.#queue.lineCount, error },
        'lines of the audit log are lost',
      );
    }
  }
}
