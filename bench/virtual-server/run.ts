// npm run bench:virtual-server -- --vmcp PATH --docker-mcp PATH: cost of a call through `portolan run --members`,
// compared with gateways in Go. Needs the built packages. See bench/README.md.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { figure, ratio, takeProxyTurns, type Turn, warmUp } from '../proxy/take-proxy-turns.ts';
import type { LoadShape } from '../proxy/mcp-load.ts';
import type { ProxyTarget } from '../proxy/targets.ts';
import { residentMb } from '../proxy/tree-figures.ts';
import { UndoStack } from '../registry/undo-stack.ts';
import { startDockerGateway, startMembers, startOurs, startVmcp, startWorkload } from './start-gateways.ts';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    vmcp: { type: 'string' },
    'docker-mcp': { type: 'string' },
    members: { type: 'string', default: '1,5,20' },
    json: { type: 'string' },
  },
});

const SHAPES: Readonly<Record<string, LoadShape>> = {
  '1 in flight': { sessions: 1, payloadBytes: 64 },
  '8 in flight': { sessions: 8, payloadBytes: 64 },
  '8 lists in flight': { sessions: 8, payloadBytes: 0, lists: true },
};
const TIMES = flags.quick
  ? { rounds: 3, turnMs: 500, warmCalls: 2000 }
  : { rounds: 7, turnMs: 1000, warmCalls: 10_000 };

interface Figures {
  readonly members: number;
  readonly shape: string;
  readonly turns: ReadonlyMap<string, readonly Turn[]>;
}

const undo = new UndoStack();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void undo.run().then(() => process.exit(130)));
try {
  await main();
} finally {
  await undo.run();
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-bench-'));
  undo.push('the folder', () => rm(folder, { recursive: true, force: true }));
  const all: Figures[] = [];
  const memory: string[] = [];
  for (const count of flags.members.split(',').map(Number)) {
    const own = new UndoStack();
    undo.push(`${count} members`, () => own.run());
    const targets = await start(count, folder, own);
    for (const target of targets)
      await warmUp(target, SHAPES['8 in flight'] ?? { sessions: 8, payloadBytes: 64 }, TIMES.warmCalls);
    for (const [shape, load] of Object.entries(SHAPES)) {
      process.stderr.write(`${count} members, ${shape}\n`);
      all.push({ members: count, shape, turns: await takeProxyTurns(targets, load, TIMES) });
    }
    memory.push(...targets.map(({ name, pid }) => `| ${count} | ${name} | ${residentMb(pid).toFixed(0)} |`));
    await own.run();
  }
  process.stdout.write(`${machine()}\n\n${all.map(render).join('\n\n')}\n\n`);
  process.stdout.write(`| members | | MB |\n| --- | --- | --- |\n${memory.join('\n')}\n`);
  if (flags.json === undefined) return;
  const plain = all.map((one) => ({ ...one, turns: Object.fromEntries(one.turns) }));
  await writeFile(
    flags.json,
    `${JSON.stringify({ machine: machine(), figures: plain, memory }, undefined, 2)}\n`,
  );
}

async function start(count: number, folder: string, own: UndoStack): Promise<readonly ProxyTarget[]> {
  const source = { folder, undo: own };
  const members = await startMembers(count, source);
  const { vmcp, 'docker-mcp': dockerMcp } = flags;
  return [
    await startOurs(members, source),
    ...(members.length === 1 && members[0] !== undefined ? [await startWorkload(members[0], source)] : []),
    ...(vmcp === undefined ? [] : [await startVmcp(vmcp, members, source)]),
    ...(dockerMcp === undefined ? [] : [await startDockerGateway(dockerMcp, members, source)]),
  ];
}

function render({ members, shape, turns }: Figures): string {
  const ours = turns.get('Portolan') ?? [];
  const rows = [...turns].map(([name, some]) => {
    const cells = [
      figure(some, 'callsPerSecond').toFixed(0),
      figure(some, 'p50Ms').toFixed(2),
      figure(some, 'p99Ms').toFixed(2),
      figure(some, 'cpuUs').toFixed(0),
      ratio(ours, some, 'callsPerSecond').toFixed(2),
      ratio(ours, some, 'cpuUs').toFixed(2),
    ];
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  return [
    `${members} members, ${shape}`,
    '',
    '| | calls/s | p50 ms | p99 ms | CPU µs | our calls/s over it | our CPU over it |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function machine(): string {
  const load = loadavg()[0]?.toFixed(1);
  return `Node.js ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model}, load ${load}`;
}
