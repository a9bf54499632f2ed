import { median, percentile } from '../registry/statistics.ts';
import type { LoadShape } from './mcp-load.ts';
import type { ProxyTarget } from './targets.ts';
import { cpuOf } from './tree-figures.ts';

/** What one target did in one round. */
export interface Turn {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  /** With the processes that it has started. */
  readonly treeCpuUs: number;
}

export interface TurnOptions {
  readonly rounds: number;
  readonly turnMs: number;
}

/**
 * Every target in short turns, one after the other, so that what disturbs the
 * machine disturbs all of them; every second round goes backwards.
 */
export async function takeProxyTurns(
  all: readonly ProxyTarget[],
  shape: LoadShape,
  { rounds, turnMs }: TurnOptions,
): Promise<ReadonlyMap<string, readonly Turn[]>> {
  const targets = all.filter(({ mostPayloadBytes }) => shape.payloadBytes <= mostPayloadBytes);
  const turns = new Map<string, Turn[]>(targets.map(({ name }) => [name, []]));
  for (const { load, mostSessions } of targets) await load.run(within(shape, mostSessions), turnMs);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      turns.get(target.name)?.push(await takeTurn(target, shape, turnMs));
    }
  }
  return turns;
}

/**
 * Makes a target as quick as one that has run for a while: V8 compiles what stands in its path call by call, and the
 * first thousands cost several times as much, the more so the more code is run through.
 */
export async function warmUp(
  { load, mostSessions }: ProxyTarget,
  shape: LoadShape,
  calls: number,
): Promise<void> {
  for (let done = 0; done < calls; )
    done += (await load.run(within(shape, mostSessions), WARM_TURN_MS)).requests;
}

const WARM_TURN_MS = 500;

/** A target with a process for each session has fewer of them. */
function within(shape: LoadShape, mostSessions: number): LoadShape {
  return { ...shape, sessions: Math.min(shape.sessions, mostSessions) };
}

async function takeTurn(
  { pid, load, mostSessions }: ProxyTarget,
  shape: LoadShape,
  turnMs: number,
): Promise<Turn> {
  const before = cpuOf(pid);
  const { requests, seconds, latenciesMs } = await load.run(within(shape, mostSessions), turnMs);
  const after = cpuOf(pid);
  return {
    callsPerSecond: requests / seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuUs: ((after.selfMs - before.selfMs) * 1000) / requests,
    treeCpuUs: ((after.treeMs - before.treeMs) * 1000) / requests,
  };
}

/** One figure of a target: the median over the rounds. */
export function figure(turns: readonly Turn[], name: keyof Turn): number {
  return median(turns.map((turn) => turn[name]));
}

/** One figure of a target over that of another in the same round: the median over the rounds. */
export function ratio(one: readonly Turn[], other: readonly Turn[], name: keyof Turn): number {
  return median(one.map((turn, round) => turn[name] / (other[round]?.[name] ?? Number.NaN)));
}

/** As `ratio`, but how much more. */
export function difference(one: readonly Turn[], other: readonly Turn[], name: keyof Turn): number {
  return median(one.map((turn, round) => turn[name] - (other[round]?.[name] ?? Number.NaN)));
}
