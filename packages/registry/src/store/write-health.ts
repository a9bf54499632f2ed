import { isPortolanError, type Logger, type PortolanError } from '@portolan/plugin-api';

export interface WriteHealthOptions {
  /** Writes something that changes nothing; rejects when the database cannot be written. */
  readonly tryWrite: () => Promise<unknown>;
  readonly logger: Logger;
  /** Monotonic time in milliseconds; default `performance.now`. */
  readonly nowMs?: () => number;
}

/** Faults of a database that can still be read. */
const READABLE: ReadonlySet<string> = new Set(['ERR_DATABASE_FULL', 'ERR_DATABASE_READ_ONLY']);
/** A small write may find room where a larger one has failed, so a fault holds at least so long. */
const HOLD_MS = 30_000;
const RETRY_MS = 5000;
/** Others may write for longer: then the fault stays until they are done. */
const MAX_WAIT_MS = 1000;

/** Remembers that writing fails while reading works, and tries again when somebody asks for it. */
export class WriteHealth {
  readonly #options: WriteHealthOptions;
  #fault: PortolanError | undefined;
  #nextTryMs = 0;
  #trying: Promise<unknown> | undefined;

  constructor(options: WriteHealthOptions) {
    this.#options = options;
  }

  /** Takes note of an error of the database; others than a full disk or a read-only database do not count. */
  note(error: unknown): void {
    if (!isPortolanError(error) || !READABLE.has(error.code)) return;
    if (this.#fault === undefined)
      this.#options.logger.error({ err: error }, 'the database cannot be written');
    this.#fault = error;
    this.#nextTryMs = this.#now() + HOLD_MS;
  }

  /** Returns why writing fails; undefined when it works, as far as that is known. */
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
      logger.info({}, 'the database can be written again');
    } catch (error) {
      this.note(error);
      this.#nextTryMs = this.#now() + RETRY_MS;
    }
  }

  #now(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }
}
