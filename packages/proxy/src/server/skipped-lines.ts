import type { Logger } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';

const MAX_A_MINUTE = 10;
const MAX_CHARACTERS = 200;

/** Logs invalid lines, shortened and at a limited rate. */
export class SkippedLines {
  readonly #counts: Counts;
  readonly #logger: Logger;
  readonly #nowMs: () => number;
  #minute = 0;
  #inMinute = 0;

  constructor(counts: Counts, logger: Logger, nowMs: () => number) {
    this.#counts = counts;
    this.#logger = logger;
    this.#nowMs = nowMs;
  }

  add(line: string, fault: string): void {
    this.#counts.skippedLines += 1;
    const minute = Math.floor(this.#nowMs() / 60_000);
    if (minute !== this.#minute) this.#inMinute = 0;
    this.#minute = minute;
    this.#inMinute += 1;
    if (this.#inMinute > MAX_A_MINUTE) return;
    this.#logger.warn({ line: line.slice(0, MAX_CHARACTERS), fault }, 'server wrote an invalid message');
  }
}
