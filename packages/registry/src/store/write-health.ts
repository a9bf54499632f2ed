import { isPortolanError, type Logger, type PortolanError } from '@portolan/plugin-api';

export interface WriteHealthOptions {
  /** Writes to the database without changing data. Rejects when the database is not writable. */
  readonly tryWrite: () => Promise<unknown>;
  readonly logger: Logger;
  /** Monotonic time in milliseconds. Default: `performance.now`. */
  readonly nowMs?: () => number;
}

/** Faults under which reads still succeed. */
const READABLE: ReadonlySet<string> = new Set(['ERR_DATABASE_FULL', 'ERR_DATABASE_READ_ONLY']);
/**
 * Minimum time for which a fault is reported, in milliseconds. A small write may succeed where a larger one
 * failed.
 */
const HOLD_MS = 30_000;
const RETRY_MS = 5000;
/**
 * Maximum wait for a test write, in milliseconds. It may queue behind longer writes; the fault then stays
 * until they end.
 */
const MAX_WAIT_MS = 1000;

/** Remembers why writes fail. While there is a fault, each query for it tries a write again. */
export class WriteHealth {
  readonly #options: WriteHealthOptions;
  #fault: PortolanError | undefined;
  #nextTryMs = 0;
  #trying: Promise<unknown> | undefined;

  constructor(options: WriteHealthOptions) {
    this.#options = options;
  }

  /** Records a full disk or a read-only database. Ignores other errors. */
  note(error: unknown): void {
    if (!isPortolanError(error) || !READABLE.has(error.code)) return;
    if (this.#fault === undefined) this.#options.logger.error({ err: error }, 'the database rejects writes');
    this.#fault = error;
    this.#nextTryMs = this.#now() + HOLD_MS;
  }

  /** Returns why writes fail; undefined when they succeed, as far as known. */
  async findFault(): Promise<PortolanError | undefined> {
    if (this.#fault === undefined || this.#now() < this.#nextTryMs) return this.#fault;
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined;
    });
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, MAX_WAIT_MS);
    await Promise.race([this.#trying, late]);
    clearTimeout(timer);
    return this.#fault;
  }

  async #try(): Promise<void> {
    const { tryWrite, logger } = this.#options;
    try {
      await tryWrite();
      this.#fault = undefined;
      logger.info({}, 'the database accepts writes again');
    } catch (error) {
      this.note(error);
      this.#nextTryMs = this.#now() + RETRY_MS;
    }
  }

  #now(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }
}
