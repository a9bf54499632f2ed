import { cpuMs } from './process-figures.ts';
import type { LoadResult } from './run-load.ts';
import { median, percentile } from './statistics.ts';

/** Target that can be measured for a duration. */
export interface Target {
  readonly name: string;
  /** Process whose CPU time is measured; left out: none. */
  readonly pid?: number;
  run(durationMs: number): Promise<LoadResult>;
}

export interface TargetFigures {
  /** Median over the turns. */
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time over all turns; undefined without a process. */
  readonly cpuUsPerRequest: number | undefined;
  readonly requests: number;
  /** Requests per second of each turn, in round order. */
  readonly turns: readonly number[];
}

export interface Rounds {
  readonly rounds: number;
  readonly turnMs: number;
  readonly warmUpMs: number;
}

interface Tally {
  requests: number;
  cpuMs: number;
  readonly latenciesMs: number[];
  readonly turns: number[];
}

/**
 * Measures all targets in short turns, so that disturbances of the machine affect all of them. Every second
 * round runs in reverse order.
 */
export async function takeTurns(
  targets: readonly Target[],
  { rounds, turnMs, warmUpMs }: Rounds,
): Promise<ReadonlyMap<string, TargetFigures>> {
  const tallies = new Map<string, Tally>();
  for (const target of targets) {
    await target.run(warmUpMs);
    tallies.set(target.name, { requests: 0, cpuMs: 0, latenciesMs: [], turns: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const tally = tallies.get(target.name);
      if (tally !== undefined) await takeTurn(target, turnMs, tally);
    }
  }
  return new Map(targets.map(({ name, pid }) => [name, figuresOf(tallies.get(name), pid)]));
}

/** Returns the median ratio of two targets' request rates over the rounds. */
export function ratioOf(one: TargetFigures | undefined, other: TargetFigures | undefined): number {
  return median((one?.turns ?? []).map((rate, round) => rate / (other?.turns[round] ?? Number.NaN)));
}

async function takeTurn(target: Target, turnMs: number, tally: Tally): Promise<void> {
  const { pid } = target;
  const before = pid === undefined ? 0 : cpuMs(pid);
  const { requests, seconds, latenciesMs } = await target.run(turnMs);
  tally.cpuMs += pid === undefined ? 0 : cpuMs(pid) - before;
  tally.requests += requests;
  for (const latency of latenciesMs) tally.latenciesMs.push(latency);
  tally.turns.push(requests / seconds);
}

function figuresOf(tally: Tally | undefined, pid: number | undefined): TargetFigures {
  const {
    requests,
    latenciesMs,
    turns,
    cpuMs: used,
  } = tally ?? { requests: 0, latenciesMs: [], turns: [], cpuMs: 0 };
  return {
    requestsPerSecond: median(turns),
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuUsPerRequest: pid === undefined ? undefined : (used * 1000) / requests,
    requests,
    turns,
  };
}
