// npm run bench:proxy: cost of a proxy in front of an MCP server, compared with the lower bound in Node.js,
// nginx and alternatives. See bench/README.md.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { UndoStack } from '../registry/undo-stack.ts';
import { type GroupFigures, measureGroup, SHAPES, type ShapeName } from './figures.ts';
import { type Goal, judge } from './goals.ts';
import { startBridges, startPassing } from './groups.ts';
import { installPeers } from './peers.ts';
import { renderReport } from './print-report.ts';
import { measureEngine } from './engine/measure-engine.ts';
import { measureReference } from './engine/measure-reference.ts';
import { measureEndurance } from './policies/endurance.ts';
import { startLists, startPolicies } from './policies/groups.ts';
import { measureListDecisions } from './policies/list-decisions.ts';
import { measureStarts } from './policies/starts.ts';
import { measureVirtual } from './virtual/measure-virtual.ts';
import { type ProxyTarget, type TargetSource, useBuilt } from './targets.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    part: { type: 'string' },
    peers: { type: 'boolean', default: true },
    json: { type: 'string' },
    built: { type: 'boolean', default: false },
    calls: { type: 'string', default: '1000000' },
    reference: { type: 'string' },
  },
  allowNegative: true,
});

const QUICK = { rounds: 3, turnMs: 500, warmCalls: 4000 };
const WHOLE = { rounds: 5, turnMs: 1000, warmCalls: 10_000 };
// SAFETY: the keys of that object.
const EVERY_SHAPE = (Object.keys(SHAPES) as ShapeName[]).filter((name) => !name.startsWith('500 tools'));

const undo = new UndoStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void undo.run().then(() => process.exit(130)));
}
try {
  await main();
} finally {
  await undo.run();
}

async function main(): Promise<void> {
  if (flags.built) await useBuilt();
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-bench-'));
  undo.push('the folder', () => rm(folder, { recursive: true, force: true }));
  const groups: GroupFigures[] = [];
  const measure = async (
    name: string,
    shapes: readonly ShapeName[],
    start: (source: { folder: string; undo: UndoStack }) => Promise<readonly ProxyTarget[]>,
  ): Promise<void> => {
    if (flags.part !== undefined && !name.startsWith(flags.part)) return;
    const own = new UndoStack();
    undo.push(name, () => own.run());
    const targets = await start({ folder, undo: own });
    groups.push(await measureGroup(name, targets, shapes, { ...(flags.quick ? QUICK : WHOLE), say }));
    await own.run();
  };
  await measure('passed through', EVERY_SHAPE, (source) => startPassing(source, false));
  await measure('event streams', ['64 in flight'], (source) => startPassing(source, true));
  await measure('bridge', EVERY_SHAPE, async (source) => {
    if (flags.peers) say('installing the peers');
    const modules = flags.peers ? await installPeers(folder) : undefined;
    if (modules === undefined) say('peers are not measured');
    return await startBridges(source, modules);
  });
  for (const way of ['passed through', 'bridge'] as const) {
    const startAll = (source: TargetSource): Promise<readonly ProxyTarget[]> => startPolicies(source, way);
    await measure(`policies, ${way}`, ['1 in flight', '8 in flight'], startAll);
  }
  await measure('policies on lists', ['500 tools listed, 4 in flight'], startLists);
  const more: Goal[] = [];
  const judgeMore = async (
    name: string,
    take: (source: { folder: string; undo: UndoStack }) => Promise<readonly Goal[]>,
  ): Promise<void> => {
    const own = new UndoStack();
    undo.push(name, () => own.run());
    say(name);
    more.push(...(await take({ folder, undo: own })));
    await own.run();
  };
  if (flags.part === undefined || flags.part === 'starts') {
    await judgeMore('starts', (source) => measureStarts(source, flags.quick ? 5 : 9));
  }
  if (flags.part === undefined || flags.part.startsWith('policies')) {
    await judgeMore('policies on a list that is new', (source) =>
      measureListDecisions(source, flags.quick ? 9 : 31),
    );
  }
  if (flags.part === undefined || flags.part === 'virtual') {
    await judgeMore('virtual', (source) => measureVirtual(source, flags.quick ? QUICK : WHOLE, say));
  }
  // Needs a container engine.
  if (flags.part === 'engine') {
    await judgeMore('engine', (source) => measureEngine(source, flags.quick ? 3 : 9));
  }
  // Also needs a prebuilt ToolHive binary.
  if (flags.part === 'reference') {
    const { reference } = flags;
    if (reference === undefined) throw new Error('--part reference needs --reference PATH');
    await judgeMore('reference', (source) => measureReference(source, reference, flags.quick ? 3 : 9));
  }
  // Takes about ten minutes.
  if (flags.part === 'endurance') {
    await judgeMore('endurance', (source) => measureEndurance(source, Number(flags.calls), say));
  }
  const goals = [...judge(groups), ...more];
  process.stdout.write(`\n${machine()}\n\n${renderReport(groups, goals)}`);
  if (flags.json === undefined) return;
  const plain = groups.map(({ name, turns, memory }) => ({
    name,
    memory: Object.fromEntries(memory),
    turns: Object.fromEntries([...turns].map(([shape, targets]) => [shape, Object.fromEntries(targets)])),
  }));
  const document = { machine: machine(), at: new Date().toISOString(), goals, groups: plain };
  await writeFile(flags.json, `${JSON.stringify(document, undefined, 2)}\n`);
}

function machine(): string {
  const load = loadavg()[0]?.toFixed(1);
  return `Node.js ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, load ${load}`;
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
