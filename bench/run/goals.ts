import type { ManyFigures } from './measure-many.ts';
import type { MemoryFigures, RunTimes } from './measure-run.ts';

/** Medians in milliseconds. */
export interface RunFigures {
  readonly bareMs: number;
  readonly isolated: RunTimes;
  readonly open: RunTimes;
  /** Additional time until the client has the tool list, compared with bare Docker in the same round. */
  readonly isolatedLaterMs: number;
  readonly openLaterMs: number;
  readonly policed: RunTimes;
  /** Additional time with all policies, isolated, in the same round. */
  readonly policedLaterMs: number;
  readonly memory: MemoryFigures;
  readonly many: ManyFigures;
}

export interface Goal {
  readonly what: string;
  readonly limit: number;
  readonly measured: number;
  readonly unit: 'ms' | 'MB' | '';
  readonly passes: boolean;
}

const ISOLATED_MS = 700;
const OPEN_MS = 450;
const POLICED_MS = 250;
const SUPERVISOR_MB = 35;

/** Judges the goals. */
export function judge({
  isolatedLaterMs,
  openLaterMs,
  policedLaterMs,
  memory,
  many,
}: RunFigures): readonly Goal[] {
  return [
    most('first tools/list over the bare engine, isolated', ISOLATED_MS, isolatedLaterMs, 'ms'),
    most('first tools/list over the bare engine, not isolated', OPEN_MS, openLaterMs, 'ms'),
    most('first tools/list with all policies over none', POLICED_MS, policedLaterMs, 'ms'),
    most('private memory of an idle supervisor', SUPERVISOR_MB, memory.privateDirtyMb, 'MB'),
    most(`containers left of ${many.count} workloads`, 0, many.leftContainers, ''),
  ];
}

function most(what: string, limit: number, measured: number, unit: Goal['unit']): Goal {
  return { what, limit, measured, unit, passes: measured <= limit };
}
