import { setTimeout as pass } from 'node:timers/promises';
import type { Logger } from '@portolan/plugin-api';
import type { LostLines } from './audit-line.ts';
import { LineQueue } from './line-queue.ts';
import type { LineSink } from './line-sink.ts';

export interface LineWriterOptions {
  readonly sink: LineSink;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** The line that stands in the log for lines that are missing. */
  readonly formatLost: (lost: LostLines) => string;
  /** Most bytes that wait to be written; left out: 16 MiB. */
  readonly mostBytes?: number;
  /** Pause before a write that has failed is tried again; left out: 1 s. */
  readonly retryMs?: number;
  /** Most time that closing waits for the last write; left out: 3 s. */
  readonly closeMs?: number;
  /** Most time that somebody waits for a line of theirs to be written; left out: 5 s. */
  readonly acceptMs?: number;
  /**
   * Lines of so much time are written together, unless somebody waits for one: a write costs more than the line.
   * 0 where they come together; left out: 5 ms.
   */
  readonly gatherMs?: number;
  /** Told when the log cannot be written, and when it can again. */
  readonly troubled?: (isTroubled: boolean) => void;
}

/** After so many failures in a row that is said again. */
const FAILURES_A_REMINDER = 60;

/**
 * Writes lines in order and in the background, those of a few milliseconds
 * together. What cannot be written waits and is tried again, up to a bound;
 * beyond it lines are counted, and one line says how many are missing there.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #queue: LineQueue;
  readonly #writeAtExit = (): void => this.#flushAtOnce();
  /** Writes, reopens and the close, one after the other. */
  #work: Promise<void> = Promise.resolve();
  #isAwake = false;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #lost: { count: number; readonly since: Date } | undefined;
  #closed: Promise<void> | undefined;
  /** Bytes of lines that were taken, and of those that stand in the log. */
  #takenBytes = 0;
  #writtenBytes = 0;
  readonly #waiting = new Set<(isFailing: boolean) => void>();
  /** Ends the time in which lines are gathered. */
  #hurry: (() => void) | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
    this.#queue = new LineQueue(options.mostBytes);
    process.on('exit', this.#writeAtExit);
  }

  /** Takes a line, without its end. Never waits and never throws. */
  write(line: string): void {
    if (this.#closed !== undefined || !this.#queue.hasRoomFor(line)) return this.lose();
    this.#tellLost();
    this.#push(line);
    this.#wake();
  }

  /**
   * Takes a line, and answers whether it stands in the log now. While the log
   * cannot be written no line is taken. One that could not be written in time
   * waits like every other.
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

  /** Counts a line that could not even be made. */
  lose(): void {
    if (this.#lost === undefined) {
      this.#lost = { count: 0, since: this.#options.clock() };
      this.#options.logger.error({ file: this.#options.sink.name }, 'lines of the audit log are being lost');
    }
    this.#lost.count += 1;
  }

  /**
   * Writes what waits, and opens the file by its name again. Throws when that fails;
   * then the open file is kept. What cannot be written now goes to the new file.
   */
  async reopen(): Promise<void> {
    if (this.#closed !== undefined) return await this.#closed;
    await this.#after(async () => {
      await this.#flush();
      await this.#options.sink.reopen();
      this.#endPause();
    });
  }

  /** Writes what waits, as far as that goes in time, and closes the sink. Safe to call twice. */
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
    const late = pass(closeMs, 'late', { signal: done.signal }).catch(() => 'aborted'); // below
    try {
      await Promise.race([closed, late]);
    } finally {
      done.abort();
      process.off('exit', this.#writeAtExit);
      const lost = this.#queue.lineCount + (this.#lost?.count ?? 0);
      if (lost > 0) logger.error({ file: sink.name, lost }, 'lines of the audit log are lost');
    }
  }

  /** One thing after the other; a failure is the caller's, and stops nothing after it. */
  #after(action: () => Promise<void>): Promise<void> {
    const done = this.#work.then(action);
    this.#work = done.catch(() => undefined); // whoever asked for it is told by `done`
    return done;
  }

  /** What is pushed meanwhile is written with it. */
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

  /** Whether it could be written. */
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
      this.#options.logger.warn({ file: this.#options.sink.name }, 'the audit log is written again');
    }
    this.#tellLost();
  }

  #endPause(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (!this.#queue.isEmpty) this.#wake();
  }

  /** Puts the line about missing ones where they are missing: behind all that were taken before. */
  #tellLost(): void {
    if (this.#lost === undefined) return;
    const { sink, logger, clock, formatLost } = this.#options;
    const { count, since } = this.#lost;
    this.#lost = undefined;
    this.#push(formatLost({ count, since, until: clock() }));
    logger.warn({ file: sink.name, lost: count }, 'lines of the audit log were lost');
  }

  /**
   * The process ends at once. A write that is under way may come to its end or
   * not, so its lines are written again: rather twice, under one id, than never.
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
