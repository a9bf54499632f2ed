import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../../registry/statistics.ts';
import { threadsMs } from '../../registry/process-figures.ts';
import { WorkloadCommands } from '../../run/workload-commands.ts';
import { SHAPES } from '../figures.ts';
import { type Goal, toGoal } from '../goals.ts';
import { type LoadShape, McpLoad } from '../mcp-load.ts';
import type { TargetSource } from '../targets.ts';
import { treeOf } from '../tree-figures.ts';
import { provideEchoImage } from './provide-echo-image.ts';

const run = promisify(execFile);

/** Maximum CPU ratio with isolation to without, for everything between client and server. */
const ISOLATED = 1.6;
const SHAPE = SHAPES['64 in flight'];
const WARM_MS = 4000;
const TURN_MS = 2000;

const SERVERS = {
  'streamable HTTP': {
    flags: ['--transport', 'streamable-http', '--target-port', '3000'],
    command: ['echo-http.mjs', '3000', '--in-container'],
  },
  'stdio, shared process': {
    flags: ['--transport', 'stdio', '--stdio-sessions', 'shared'],
    command: ['echo-stdio.mjs'],
  },
} as const;

export interface Workload {
  readonly load: McpLoad;
  readonly supervisor: readonly number[];
  readonly gateway: readonly number[];
  readonly server: readonly number[];
}

/** CPU time of a call in microseconds, by process. */
export interface Shares {
  readonly callsPerSecond: number;
  readonly supervisor: number;
  readonly gateway: number;
  readonly engine: number;
  readonly server: number;
}

/**
 * Measures real workloads of `portolan run`, isolated and not, in alternation, including gateway and engine.
 */
export async function measureEngine(source: TargetSource, rounds: number): Promise<readonly Goal[]> {
  const image = await provideEchoImage(source.folder);
  const commands = await WorkloadCommands.open(source.folder, true);
  const goals: Goal[] = [];
  for (const name of Object.keys(SERVERS) as (keyof typeof SERVERS)[]) {
    const started: Workload[] = [];
    for (const isIsolated of [false, true]) {
      started.push(await startWorkload(source, commands, image, name, isIsolated));
    }
    const turns: Shares[][] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const workload = started[at];
        if (workload !== undefined) turns[at]?.push(await takeTurn(workload, SHAPE));
      }
    }
    const [open, isolated] = turns.map(middle);
    if (open === undefined || isolated === undefined) throw new Error('nothing was measured');
    process.stdout.write(
      `${name}, through the engine, 64 in flight\n  ${told(open)}\n  isolated: ${told(isolated)}\n`,
    );
    goals.push(
      toGoal(
        `${name}: CPU of a call isolated over not`,
        'at most',
        ISOLATED,
        between(isolated) / between(open),
        '×',
      ),
    );
  }
  return goals;
}

async function startWorkload(
  { undo }: TargetSource,
  commands: WorkloadCommands,
  image: string,
  server: keyof typeof SERVERS,
  isIsolated: boolean,
): Promise<Workload> {
  const name = `bench-${server.replaceAll(/\W+/g, '-')}-${isIsolated ? 'isolated' : 'open'}`.toLowerCase();
  const flags = [
    '--name',
    name,
    `--isolate-network=${isIsolated}`,
    '--max-sessions',
    '64',
    ...SERVERS[server].flags,
  ];
  undo.push(name, () => commands.remove(name));
  const load = new McpLoad(new URL(await commands.run([image, ...flags, '--', ...SERVERS[server].command])));
  undo.push(`sessions of ${name}`, () => load.close());
  await load.open(SHAPE.sessions);
  await load.run(SHAPE, WARM_MS);
  const pids = await pidsOf('portolan.dev/name', name);
  return { load, supervisor: treeOf(await commands.supervisorOf(name)), ...pids };
}

/** Returns the processes in the containers of a workload. */
export async function pidsOf(label: string, name: string): Promise<Pick<Workload, 'gateway' | 'server'>> {
  const { stdout } = await run('docker', ['ps', '-q', '--filter', `label=${label}=${name}`]);
  const format = '{{.State.Pid}} {{index .Config.Labels "portolan.dev/role"}}';
  const ids = stdout.split('\n').filter((id) => id !== '');
  const inspected = await run('docker', ['inspect', '--format', format, ...ids]);
  const found = inspected.stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const of = (isGateway: boolean): readonly number[] =>
    found.filter(([, role]) => (role === 'gateway') === isGateway).flatMap(([pid]) => treeOf(Number(pid)));
  return { gateway: of(true), server: of(false) };
}

/** Returns the processes of the engine and its container shims. */
async function pidsOfEngine(): Promise<readonly number[]> {
  const { stdout } = await run('pgrep', ['-f', '^[^ ]*(dockerd|containerd|docker-proxy)']);
  return stdout.trim().split('\n').map(Number);
}

export async function takeTurn({ load, ...workload }: Workload, shape: LoadShape): Promise<Shares> {
  const engine = await pidsOfEngine();
  const read = () => ({
    supervisor: sum(workload.supervisor),
    gateway: sum(workload.gateway),
    engine: sum(engine),
    server: sum(workload.server),
  });
  const before = read();
  const { requests, seconds } = await load.run(shape, TURN_MS);
  const after = read();
  const share = (who: keyof typeof before): number => ((after[who] - before[who]) * 1000) / requests;
  return {
    callsPerSecond: requests / seconds,
    supervisor: share('supervisor'),
    gateway: share('gateway'),
    engine: share('engine'),
    server: share('server'),
  };
}

function sum(pids: readonly number[]): number {
  return pids.map(threadsMs).reduce((all, ms) => all + ms, 0);
}

export function middle(turns: readonly Shares[]): Shares {
  const of = (who: keyof Shares): number => median(turns.map((turn) => turn[who]));
  return {
    callsPerSecond: of('callsPerSecond'),
    supervisor: of('supervisor'),
    gateway: of('gateway'),
    engine: of('engine'),
    server: of('server'),
  };
}

export function between({ supervisor, gateway, engine }: Shares): number {
  return supervisor + gateway + engine;
}

export function told({ callsPerSecond, supervisor, gateway, engine, server }: Shares): string {
  const shares = { supervisor, gateway, engine, server };
  const parts = Object.entries(shares).map(([who, us]) => `${who} ${us.toFixed(0)} µs`);
  return `${callsPerSecond.toFixed(0)} calls/s; ${parts.join(', ')}`;
}
