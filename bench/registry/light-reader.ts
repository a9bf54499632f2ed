import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection, wireRequest } from './http-connection.ts';
import { percentile } from './statistics.ts';

/** Times of reads, each from the moment it was due. */
export interface ReadTimes {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
}

const READ_EVERY_MS = 20;

/**
 * Reads pages of a registry on a fixed clock, every second one of them one that no
 * cache has, so that a server that stands still is seen by every read that was due.
 */
export class LightReader {
  #latenciesMs: number[] = [];
  readonly #url: URL;
  readonly #path: string;
  #stopped = false;

  constructor(url: URL, path: string) {
    this.#url = url;
    this.#path = path;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** What was read since the last call. */
  take(): ReadTimes {
    const times = this.#latenciesMs;
    this.#latenciesMs = [];
    return {
      count: times.length,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      worstMs: Math.max(...times),
    };
  }

  /** Rejects at the first answer that is no page. */
  async run(): Promise<void> {
    const connection = new HttpConnection(this.#url);
    const started = performance.now();
    try {
      for (let read = 0; !this.#stopped; read += 1) {
        const due = started + read * READ_EVERY_MS;
        await pause(Math.max(0, due - performance.now()));
        const since = new Date(Date.UTC(2020, 0, 1) + read * 1000).toISOString();
        const query = read % 2 === 0 ? '?limit=30' : `?limit=30&updated_since=${since}`;
        const { status, body } = await connection.send(wireRequest(this.#url, this.#path + query));
        if (status !== 200 || !body.includes('"count":30'))
          throw new Error(`${query}: status ${status} during a sync`);
        this.#latenciesMs.push(performance.now() - due);
      }
    } finally {
      connection.close();
    }
  }
}
