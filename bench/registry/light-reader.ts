import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { RunningProcess } from './start-process.ts';
import { percentile } from './statistics.ts';

/** Latencies of reads, measured from their scheduled times. */
export interface ReadTimes {
  readonly count: number;
  /** Reads without a figure, because the hypervisor took CPU time when they were due. */
  readonly leftOut: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** Work of the server's main thread between request and response, which is independent of other load. */
  readonly workP99Ms: number;
}

/** Individual reads, both lists in the same order. */
export interface Reads {
  readonly latenciesMs: readonly number[];
  readonly worksMs: readonly number[];
  readonly leftOut: number;
}

/** Summarizes reads of several periods. */
export function timesOf(taken: readonly Reads[]): ReadTimes {
  const latenciesMs = taken.flatMap((reads) => reads.latenciesMs);
  return {
    count: latenciesMs.length,
    leftOut: taken.reduce((sum, { leftOut }) => sum + leftOut, 0),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    worstMs: Math.max(...latenciesMs),
    workP99Ms: percentile(
      taken.flatMap((reads) => reads.worksMs),
      0.99,
    ),
  };
}

/**
 * Reads pages of a registry on a fixed schedule, every second one uncached. Every scheduled read therefore
 * shows a stalled server. It runs in a separate process.
 */
export class LightReader {
  /** Rejects at the first wrong response; resolves after `stop`. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  constructor({ pid, url }: Pick<RunningProcess, 'pid' | 'url'>, target: string) {
    this.#child = fork(path.join(import.meta.dirname, 'read-lightly.ts'), [String(pid), url.href, target], {
      execArgv: ['--conditions=@portolan/source'],
    });
    this.ended = endOf(this.#child);
    this.ended.catch(() => undefined); // prevents an unhandled rejection
  }

  /** Returns the reads since the last call. */
  async take(): Promise<ReadTimes> {
    return timesOf([await this.takeReads()]);
  }

  /** Like `take`, but individual reads. */
  async takeReads(): Promise<Reads> {
    const answered = once(this.#child, 'message');
    this.#child.send('take');
    const [reads]: unknown[] = await answered;
    // SAFETY: the form that `read-lightly.ts` sends.
    return reads as Reads;
  }

  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.send('stop');
    await this.ended;
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  const [status]: unknown[] = await once(child, 'exit');
  if (status !== 0) throw new Error('nobody reads any more');
}
