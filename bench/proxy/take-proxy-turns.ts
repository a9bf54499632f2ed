import { median, percentile } from '../registry/statistics.ts';
import type { LoadShape } from './mcp-load.ts';
import type { ProxyTarget } from './targets.ts';
import { cpuOf } from './tree-figures.ts';

/** Figures of one target in one round. */
export interface Turn {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  /** Includes child processes. */
  readonly treeCpuUs: number;
}

export interface TurnOptions {
  readonly rounds: number;
  readonly turnMs: number;
}

/**
 * Measures every target in short turns, so that disturbances of the machine affect all of them. Every second
 * round runs in reverse order.
 */
export async function takeProxyTurns(
  all: readonly ProxyTarget[],
  shape: LoadShape,
  { rounds, turnMs }: TurnOptions,
): Promise<ReadonlyMap<string, readonly Turn[]>> {
  const targets = all.filter(({ maxPayloadBytes }) => shape.payloadBytes <= maxPayloadBytes);
  const turns = new Map<string, Turn[]>(targets.map(({ name }) => [name, []]));
  for (const { load, maxSessions } of targets) await load.run(within(shape, maxSessions), turnMs);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      turns.get(target.name)?.push(await takeTurn(target, shape, turnMs));
    }
  }
  return turns;
}

/**
 * Runs a target until V8 has compiled its code. The first thousands of calls cost several times as much, and
 * more so with more code.
 */
export async function warmUp(
  { load, maxSessions }: ProxyTarget,
  shape: LoadShape,
  calls: number,
): Promise<void> {
  for (let done = 0; done < calls; )
    done += (await load.run(within(shape, maxSessions), WARM_TURN_MS)).requests;
}

const WARM_TURN_MS = 500;

/** Limits a load to the sessions of a target, which are fewer if each has a process. */
function within(shape: LoadShape, maxSessions: number): LoadShape {
  return { ...shape, sessions: Math.min(shape.sessions, maxSessions) };
}

async function takeTurn(
  { pid, load, maxSessions }: ProxyTarget,
  shape: LoadShape,
  turnMs: number,
): Promise<Turn> {
  const before = cpuOf(pid);
  const { requests, seconds, latenciesMs } = await load.run(within(shape, maxSessions), turnMs);
  const after = cpuOf(pid);
  return {
    callsPerSecond: requests / seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    cpuUs: ((after.selfMs - before.selfMs) * 1000) / requests,
    treeCpuUs: ((after.treeMs - before.treeMs) * 1000) / requests,
  };
}

/** Returns a target's median figure over the rounds. */
export function figure(turns: readonly Turn[], name: keyof Turn): number {
  return median(turns.map((turn) => turn[name]));
}

/** Returns the median ratio of two targets' figures in the same round. */
export function ratio(one: readonly Turn[], other: readonly Turn[], name: keyof Turn): number {
  return median(one.map((turn, round) => turn[name] / (other[round]?.[name] ?? Number.NaN)));
}

/** Like `ratio`, but the difference. */
export function difference(one: readonly Turn[], other: readonly Turn[], name: keyof Turn): number {
  return median(one.map((turn, round) => turn[name] - (other[round]?.[name] ?? Number.NaN)));
}
