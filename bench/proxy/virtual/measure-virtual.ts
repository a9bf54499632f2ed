import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../registry/statistics.ts';
import { SHAPES } from '../figures.ts';
import { type Goal, toGoal } from '../goals.ts';
import { startBackend } from '../groups.ts';
import { figure, ratio, takeProxyTurns, type Turn, type TurnOptions, warmUp } from '../take-proxy-turns.ts';
import {
  ownProxy,
  ownVirtual,
  program,
  type ProxyTarget,
  startTarget,
  type TargetSource,
} from '../targets.ts';
import { residentMb } from '../tree-figures.ts';
import { callWithoutEnd, startFaultyMembers } from './faulty-members.ts';
import type { MemberArgument } from './member-argument.ts';

/** Maximum CPU time of a call over that of the same server as a workload. */
const CALL_CPU = 1.3;
const FAULTY_P99 = 1.2;
const FAULTY_OPEN = 1.2;
const FAULTY_LIST_MS = 2200;
const LIST_CPU_US = 3000;
const MEMBERS_MB = 40;
const MEMBERS = 20;
const TOOLS = 50;

export interface VirtualOptions extends TurnOptions {
  readonly warmCalls: number;
}

/** Measures virtual servers: calls, lists and memory, and what faulty members cost the others. */
export async function measureVirtual(
  source: TargetSource,
  options: VirtualOptions,
  say: (line: string) => void,
): Promise<readonly Goal[]> {
  say('virtual: calls');
  const calls = await measureCalls(source, options);
  say('virtual: lists and memory');
  const lists = await measureLists(source, options);
  say('virtual: faulty members');
  return [...calls, ...lists, ...(await measureFaulty(source, options))];
}

async function measureCalls(source: TargetSource, options: VirtualOptions): Promise<readonly Goal[]> {
  const { origin } = await startBackend(source, []);
  const http: MemberArgument = { name: 'echo', hasPrefix: false, url: `${origin}/mcp` };
  const command = [process.execPath, ...program('echo-stdio.ts')];
  const stdio: MemberArgument = { name: 'echo', hasPrefix: false, command };
  const processes = { maxSessions: 15 };
  const targets = [
    await startTarget(source, 'workload, stdio', (port) => ownProxy(port, 'own', ...command), processes),
    await startVirtual(source, 'virtual, stdio', [stdio], processes),
    await startTarget(source, 'workload, http', (port) => ownProxy(port, 'http', origin)),
    await startTarget(source, 'workload, http, judged', (port) => ownProxy(port, 'judged', origin)),
    await startVirtual(source, 'virtual, http', [http]),
  ];
  const turns = await take(targets, options);
  const over = (one: string, other: string, limit: number): Goal => {
    const measured = ratio(turns.get(one) ?? [], turns.get(other) ?? [], 'cpuUs');
    return toGoal(`CPU of a call, ${one} over ${other}`, 'at most', limit, measured, '×');
  };
  return [
    over('virtual, stdio', 'workload, stdio', CALL_CPU),
    over('virtual, http', 'workload, http', CALL_CPU),
    over('virtual, http', 'workload, http, judged', CALL_CPU),
  ];
}

async function measureLists(source: TargetSource, options: VirtualOptions): Promise<readonly Goal[]> {
  const members: MemberArgument[] = [];
  for (let at = 0; at < MEMBERS; at += 1) {
    const { origin } = await startBackend(source, [`--tools=${TOOLS}`]);
    members.push({ name: `m${at}`, hasPrefix: at > 0, url: `${origin}/mcp` });
  }
  const empty = await startVirtual(source, 'virtual, empty', []);
  const full = await startVirtual(source, 'virtual, 20 members', members);
  await pause(1000);
  const emptyMb = residentMb(empty.pid);
  const shape = { sessions: 1, payloadBytes: 0, lists: true };
  await full.load.run(shape, 200);
  const added = residentMb(full.pid) - emptyMb;
  await warmUp(full, shape, options.warmCalls / 10);
  const turns = await takeProxyTurns([full], shape, options);
  const cpuUs = figure(turns.get(full.name) ?? [], 'cpuUs');
  return [
    toGoal(`list of ${MEMBERS} × ${TOOLS} tools from memory: CPU`, 'at most', LIST_CPU_US, cpuUs, 'µs'),
    toGoal(`memory of ${MEMBERS} HTTP members over none`, 'at most', MEMBERS_MB, added, 'MB'),
  ];
}

async function measureFaulty(source: TargetSource, options: VirtualOptions): Promise<readonly Goal[]> {
  const { origin } = await startBackend(source, []);
  const healthy: MemberArgument = { name: 'echo', hasPrefix: false, url: `${origin}/mcp` };
  const faulty = await startFaultyMembers(source);
  const single = await startTarget(source, 'workload', (port) => ownProxy(port, 'http', origin));
  const without = await startVirtual(source, 'virtual, healthy', [healthy]);
  const beside = await startVirtual(source, 'virtual, with faulty members', [healthy, ...faulty]);
  const calling = callWithoutEnd(
    beside.load.url,
    faulty.map(({ name }) => `${name}_echo`),
  );
  await beside.load.lists(1);
  const lists = await beside.load.lists(5);
  const turns = await take([without, beside], options);
  await Promise.all([single.load.open(40), beside.load.open(40)]);
  await calling.stop();
  const p99 = ratio(turns.get(beside.name) ?? [], turns.get(without.name) ?? [], 'p99Ms');
  return [
    toGoal('p99 of calls beside faulty members over without', 'at most', FAULTY_P99, p99, '×'),
    toGoal(
      'longest list after the first, beside faulty members',
      'at most',
      FAULTY_LIST_MS,
      percentile(lists, 1),
      'ms',
    ),
    toGoal(
      'opening a session beside faulty members, over a workload',
      'at most',
      FAULTY_OPEN,
      beside.load.medianOpenMs() / single.load.medianOpenMs(),
      '×',
    ),
  ];
}

async function take(
  targets: readonly ProxyTarget[],
  options: VirtualOptions,
): Promise<ReadonlyMap<string, readonly Turn[]>> {
  for (const target of targets) await warmUp(target, SHAPES['8 in flight'], options.warmCalls);
  return await takeProxyTurns(targets, SHAPES['8 in flight'], options);
}

async function startVirtual(
  source: TargetSource,
  name: string,
  members: readonly MemberArgument[],
  more: { readonly maxSessions?: number } = {},
): Promise<ProxyTarget> {
  const argument = JSON.stringify(members);
  return await startTarget(source, name, (port) => ownVirtual(port, argument), more);
}
