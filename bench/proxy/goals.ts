import type { GroupFigures, ShapeName } from './figures.ts';
import { difference, figure, ratio, type Turn } from './take-proxy-turns.ts';

export interface Goal {
  readonly what: string;
  readonly sense: 'at most' | 'at least';
  readonly limit: number;
  readonly measured: number;
  readonly unit: '×' | 'MB' | 'µs' | 'ms';
  readonly passes: boolean;
  /**
   * Ratio of the lower bound: if that misses the goal by far, no Node.js program meets it. Left out if the
   * other side is the lower bound.
   */
  readonly floor?: number;
}

/** Goal for the ratio of two figures in the same rounds. */
interface RatioGoal {
  readonly group: 'passed through' | 'event streams' | 'bridge';
  readonly shape: ShapeName;
  readonly of: string;
  readonly over: string;
  readonly figure: keyof Turn;
  readonly sense: Goal['sense'];
  readonly limit: number;
}

const RATIOS: readonly RatioGoal[] = [
  passing('64 in flight', 'floor', 'cpuUs', 'at most', 1.15),
  passing('64 in flight', 'floor', 'callsPerSecond', 'at least', 0.85),
  passing('64 in flight', 'nginx', 'callsPerSecond', 'at least', 0.35),
  passing('1 in flight', 'floor', 'p50Ms', 'at most', 1.15),
  passing('64 in flight', 'floor', 'p99Ms', 'at most', 1.5),
  passing('1 MB, 4 in flight', 'floor', 'callsPerSecond', 'at least', 0.8),
  { ...passing('64 in flight', 'floor', 'cpuUs', 'at most', 1.3), group: 'event streams' },
  bridging('portolan, shared', '64 in flight', 'floor', 'cpuUs', 'at most', 2.5),
  bridging('portolan, shared', '64 in flight', 'mcp-proxy', 'callsPerSecond', 'at least', 5),
  bridging('portolan, shared', '64 in flight', 'mcp-proxy', 'treeCpuUs', 'at most', 0.2),
  bridging('portolan, shared', '1 in flight', 'mcp-proxy', 'p50Ms', 'at most', 0.45),
  bridging('portolan, shared', '8 in flight', 'mcp-proxy', 'p50Ms', 'at most', 0.25),
  bridging('portolan, shared', '90 kB, 8 in flight', 'mcp-proxy', 'callsPerSecond', 'at least', 1.6),
  bridging('portolan, shared', '1 MB, 4 in flight', 'mcp-proxy', 'callsPerSecond', 'at least', 1.5),
  bridging('portolan, own', '64 in flight', 'supergateway', 'callsPerSecond', 'at least', 10),
];

/** Lower bound for each of our targets. */
const FLOORS: Readonly<Record<string, string>> = {
  portolan: 'floor',
  'portolan, shared': 'floor',
  'portolan, own': 'floor, own',
};

/** Maximum memory of our idle bridge in MB, and of a hundred further sessions. */
const IDLE_MB = 80;
const SESSIONS_MB = 12;
/** Maximum ratio of opening a session with its own process to the same with supergateway. */
const OPENING = 0.1;

/**
 * Maximum CPU time that OpenID Connect, Cedar, audit and telemetry together add to a call in microseconds,
 * and maximum p50 ratio.
 */
const POLICIES_CPU_US = 250;
const POLICIES_P50 = 2;
/**
 * Maximum CPU time for a list of 500 tools, of which a policy removes half. Decisions about the same list are
 * cached.
 */
const LIST_CPU_US = 3000;

/** Judges every goal that has figures; peers may be missing. */
export function judge(groups: readonly GroupFigures[]): readonly Goal[] {
  return [
    ...RATIOS.flatMap((goal) => judgeRatio(groups, goal)),
    ...judgeSessions(groups),
    ...groups.flatMap(judgePolicies),
    ...groups.flatMap(judgeLists),
  ];
}

function judgePolicies({ name, turns }: GroupFigures): readonly Goal[] {
  const eight = turns.get('8 in flight');
  const [all, without] = [eight?.get('all'), eight?.get('portolan')];
  if (all === undefined || without === undefined) return [];
  const added = difference(all, without, 'cpuUs');
  return [
    toGoal(`${name}: CPU that all policies add to a call`, 'at most', POLICIES_CPU_US, added, 'µs'),
    toGoal(`${name}: p50 over that without`, 'at most', POLICIES_P50, ratio(all, without, 'p50Ms'), '×'),
  ];
}

function judgeLists({ turns }: GroupFigures): readonly Goal[] {
  const lists = turns.get('500 tools listed, 4 in flight') ?? new Map<string, readonly Turn[]>();
  return [...lists].flatMap(([policy, taken]) =>
    policy === 'portolan'
      ? []
      : [toGoal(`500 tools, ${policy}: CPU`, 'at most', LIST_CPU_US, figure(taken, 'cpuUs'), 'µs')],
  );
}

function judgeRatio(groups: readonly GroupFigures[], goal: RatioGoal): readonly Goal[] {
  const turns = groups.find(({ name }) => name === goal.group)?.turns.get(goal.shape);
  const [ours, theirs] = [turns?.get(goal.of), turns?.get(goal.over)];
  if (ours === undefined || theirs === undefined) return [];
  const measured = ratio(ours, theirs, goal.figure);
  const floor = goal.over === 'floor' ? undefined : turns?.get(FLOORS[goal.of] ?? '');
  const what = `${goal.group}, ${goal.shape}: ${NAMES[goal.figure]} of ${goal.of} over ${goal.over}`;
  const verdict = toGoal(what, goal.sense, goal.limit, measured, '×');
  return [floor === undefined ? verdict : { ...verdict, floor: ratio(floor, theirs, goal.figure) }];
}

function judgeSessions(groups: readonly GroupFigures[]): readonly Goal[] {
  const memory = groups.find(({ name }) => name === 'bridge')?.memory;
  const [shared, own, peer, floor] = ['portolan, shared', 'portolan, own', 'supergateway', 'floor, own'].map(
    (name) => memory?.get(name),
  );
  const goals: Goal[] = [];
  if (shared !== undefined) {
    const added = (shared.with100Mb ?? Number.NaN) - shared.idleMb;
    goals.push(
      toGoal('bridge: memory of our process when nothing happens', 'at most', IDLE_MB, shared.idleMb, 'MB'),
    );
    goals.push(toGoal('bridge: memory that 100 sessions add', 'at most', SESSIONS_MB, added, 'MB'));
  }
  if (own !== undefined && peer !== undefined) {
    const what = 'bridge: opening a session with a process of its own, over supergateway';
    const verdict = toGoal(what, 'at most', OPENING, own.openMs / peer.openMs, '×');
    goals.push(floor === undefined ? verdict : { ...verdict, floor: floor.openMs / peer.openMs });
  }
  return goals;
}

const NAMES: Readonly<Record<keyof Turn, string>> = {
  callsPerSecond: 'calls/s',
  p50Ms: 'p50',
  p99Ms: 'p99',
  cpuUs: 'CPU a call',
  treeCpuUs: 'CPU a call with children',
};

function passing(
  shape: ShapeName,
  over: string,
  what: keyof Turn,
  sense: Goal['sense'],
  limit: number,
): RatioGoal {
  return { group: 'passed through', shape, of: 'portolan', over, figure: what, sense, limit };
}

function bridging(
  of: string,
  shape: ShapeName,
  over: string,
  what: keyof Turn,
  sense: Goal['sense'],
  limit: number,
): RatioGoal {
  return { group: 'bridge', shape, of, over, figure: what, sense, limit };
}

export function toGoal(
  what: string,
  sense: Goal['sense'],
  limit: number,
  measured: number,
  unit: Goal['unit'],
): Goal {
  return {
    what,
    sense,
    limit,
    measured,
    unit,
    passes: sense === 'at most' ? measured <= limit : measured >= limit,
  };
}
