import { setTimeout as pause } from 'node:timers/promises';
import type { ProxyTarget } from './targets.ts';
import { type Turn, type TurnOptions, takeProxyTurns, warmUp } from './take-proxy-turns.ts';
import type { LoadShape } from './mcp-load.ts';
import { residentMb } from './tree-figures.ts';

/** Load shapes: 1, 8 and 64 concurrent calls; then 1 kB, 90 kB and 1 MB in each direction. */
export const SHAPES = {
  '1 in flight': { sessions: 1, payloadBytes: 64 },
  '8 in flight': { sessions: 8, payloadBytes: 64 },
  '64 in flight': { sessions: 64, payloadBytes: 64 },
  '1 kB, 8 in flight': { sessions: 8, payloadBytes: 1000 },
  '90 kB, 8 in flight': { sessions: 8, payloadBytes: 90_000 },
  '1 MB, 4 in flight': { sessions: 4, payloadBytes: 1_000_000 },
  '500 tools listed, 4 in flight': { sessions: 4, payloadBytes: 0, lists: true },
} as const satisfies Readonly<Record<string, LoadShape>>;

export type ShapeName = keyof typeof SHAPES;

/** Turns of each target with one load shape; one turn per round. */
export type TurnsByTarget = ReadonlyMap<string, readonly Turn[]>;

export interface MemoryFigures {
  readonly idleMb: number;
  /** Undefined if a session has its own process. */
  readonly with100Mb: number | undefined;
  /** Median time to open one session after another in milliseconds. */
  readonly openMs: number;
}

export interface GroupFigures {
  readonly name: string;
  readonly turns: ReadonlyMap<ShapeName, TurnsByTarget>;
  readonly memory: ReadonlyMap<string, MemoryFigures>;
}

/**
 * Measures memory and opening of sessions first, on fresh targets; then `warmCalls`, and each load in turn.
 */
export async function measureGroup(
  name: string,
  targets: readonly ProxyTarget[],
  shapes: readonly ShapeName[],
  options: TurnOptions & { readonly warmCalls: number; readonly say: (line: string) => void },
): Promise<GroupFigures> {
  const memory = new Map<string, MemoryFigures>();
  for (const target of targets) {
    options.say(`${name}: sessions of ${target.name}`);
    memory.set(target.name, await measureSessions(target));
  }
  for (const target of targets) {
    options.say(`${name}: ${target.name} warms up`);
    await warmUp(target, SHAPES['8 in flight'], options.warmCalls);
  }
  const turns = new Map<ShapeName, TurnsByTarget>();
  for (const shape of shapes) {
    options.say(`${name}: ${shape}`);
    turns.set(shape, await takeProxyTurns(targets, SHAPES[shape], options));
  }
  return { name, turns, memory };
}

/** Number of sessions to open if each has a process, with time for the next process to start ahead. */
const OPENED = 6;
const BETWEEN_MS = 1000;

async function measureSessions({ pid, load, maxSessions }: ProxyTarget): Promise<MemoryFigures> {
  const idleMb = residentMb(pid);
  if (maxSessions >= 64) {
    await load.open(100);
    return { idleMb, with100Mb: residentMb(pid), openMs: load.medianOpenMs() };
  }
  for (let count = 2; count <= OPENED; count += 1) {
    await pause(BETWEEN_MS);
    await load.open(count);
  }
  return { idleMb, with100Mb: undefined, openMs: load.medianOpenMs() };
}
