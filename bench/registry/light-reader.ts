import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection, wireRequest } from './http-connection.ts';
import { mainThreadMs } from './process-figures.ts';
import type { RunningProcess } from './start-process.ts';
import { percentile } from './statistics.ts';

/** Times of reads, each from the moment it was due. */
export interface ReadTimes {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** What the main thread of the server had worked, for whomever, between a question and its answer: the same on a machine that has other things to do. */
  readonly workP99Ms: number;
}

const READ_EVERY_MS = 20;

/**
 * Reads pages of a registry on a fixed clock, every second one of them one that no
 * cache has, so that a server that stands still is seen by every read that was due.
 */
export class LightReader {
  #latenciesMs: number[] = [];
  #worksMs: number[] = [];
  readonly #pid: number;
  readonly #url: URL;
  readonly #path: string;
  #stopped = false;

  constructor({ pid, url }: Pick<RunningProcess, 'pid' | 'url'>, path: string) {
    this.#pid = pid;
    this.#url = url;
    this.#path = path;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** What was read since the last call. */
  take(): ReadTimes {
    const [times, works] = [this.#latenciesMs, this.#worksMs];
    [this.#latenciesMs, this.#worksMs] = [[], []];
    return {
      count: times.length,
      p50Ms: percentile(times, 0.5),
      p99Ms: percentile(times, 0.99),
      worstMs: Math.max(...times),
      workP99Ms: percentile(works, 0.99),
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
        const workedMs = mainThreadMs(this.#pid);
        const { status, body } = await connection.send(wireRequest(this.#url, this.#path + query));
        if (status !== 200 || !body.includes('"count":30'))
          throw new Error(`${query}: status ${status} during a sync`);
        this.#latenciesMs.push(performance.now() - due);
        this.#worksMs.push(mainThreadMs(this.#pid) - workedMs);
      }
    } finally {
      connection.close();
    }
  }
}
