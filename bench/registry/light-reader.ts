import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { RunningProcess } from './start-process.ts';
import { percentile } from './statistics.ts';

/** Times of reads, each from the moment it was due. */
export interface ReadTimes {
  readonly count: number;
  /** Reads that are in no figure: while they were due, the hypervisor gave the processors to others. */
  readonly leftOut: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** What the main thread of the server had worked, for whomever, between a question and its answer: the same on a machine that has other things to do. */
  readonly workP99Ms: number;
}

/** Each read by itself, both lists in the same order. */
export interface Reads {
  readonly latenciesMs: readonly number[];
  readonly worksMs: readonly number[];
  readonly leftOut: number;
}

/** All that was read at several times, as one. */
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
 * Reads pages of a registry on a fixed clock, every second one of them one that no
 * cache has, so that a server that stands still is seen by every read that was due.
 * It does so in a process of its own, from the first moment on.
 */
export class LightReader {
  /** Rejects at the first answer that is no page; settles after `stop`. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  constructor({ pid, url }: Pick<RunningProcess, 'pid' | 'url'>, target: string) {
    this.#child = fork(path.join(import.meta.dirname, 'read-lightly.ts'), [String(pid), url.href, target], {
      execArgv: ['--conditions=@portolan/source'],
    });
    this.ended = endOf(this.#child);
    this.ended.catch(() => undefined); // whoever waits for it is told
  }

  /** What was read since the last call. */
  async take(): Promise<ReadTimes> {
    return timesOf([await this.takeReads()]);
  }

  /** Likewise, each by itself. */
  async takeReads(): Promise<Reads> {
    const answered = once(this.#child, 'message');
    this.#child.send('take');
    const [reads]: unknown[] = await answered;
    // SAFETY: as `read-lightly.ts` sends it.
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
