import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listTools } from './messages.ts';
import type { PolicyFlags } from './policy-flags.ts';
import type { WorkloadCommands } from './workload-commands.ts';

const run = promisify(execFile);

/** Milliseconds from the start of `portolan run`. */
export interface RunTimes {
  /** Start of the supervisor process. */
  readonly supervisor: number;
  /** Creation of the gateway's container; undefined without isolation. */
  readonly gateway: number | undefined;
  /** Start of the server's first container. */
  readonly container: number;
  /** Output of the URL. */
  readonly ready: number;
  /** Arrival of the tool list at a client. */
  readonly listed: number;
}

export interface MemoryFigures {
  readonly privateDirtyMb: number;
  readonly residentMb: number;
}

export interface MeasuredRun {
  readonly name: string;
  readonly isolated: boolean;
  /** Policies in front of the server; left out: none. */
  readonly behind?: PolicyFlags;
}

/** Runs a workload once, lists its tools, and removes it. */
export async function measureRun(
  commands: WorkloadCommands,
  image: string,
  { name, isolated, behind }: MeasuredRun,
): Promise<RunTimes> {
  const [at, startedAt] = [Date.now(), performance.now()];
  const flags = behind?.flags ?? [];
  const url = await commands.run([image, '--name', name, `--isolate-network=${isolated}`, ...flags]);
  const ready = performance.now() - startedAt;
  if ((await listTools(url, behind?.token)) === 0) throw new Error('the server has no tools');
  const listed = performance.now() - startedAt;
  const containers = await containersOf(name);
  const supervisor = await startOf(await commands.supervisorOf(name));
  await commands.remove(name);
  const servers = containers.filter(({ role }) => role !== 'gateway');
  return {
    supervisor: supervisor - at,
    gateway: gatewayTime(containers, at),
    container: Math.min(...servers.map(({ startedAt: started }) => started)) - at,
    ready,
    listed,
  };
}

function gatewayTime(containers: readonly EngineContainer[], at: number): number | undefined {
  const gateway = containers.find(({ role }) => role === 'gateway');
  return gateway === undefined ? undefined : gateway.createdAt - at;
}

interface EngineContainer {
  readonly role: string;
  readonly createdAt: number;
  readonly startedAt: number;
}

async function containersOf(name: string): Promise<readonly EngineContainer[]> {
  const label = `label=portolan.dev/name=${name}`;
  const { stdout } = await run('docker', ['ps', '-aq', '--no-trunc', '--filter', label]);
  const ids = stdout.split('\n').filter((id) => id !== '');
  if (ids.length === 0) throw new Error(`no container of ${name}`);
  const inspected = await run('docker', ['inspect', ...ids], { maxBuffer: 2 ** 24 });
  // SAFETY: the engine's format; a wrong one fails the measurement.
  const found = JSON.parse(inspected.stdout) as {
    Created: string;
    State: { StartedAt: string };
    Config: { Labels: Record<string, string> };
  }[];
  return found.map(({ Created, State, Config }) => ({
    role: Config.Labels['portolan.dev/role'] ?? '',
    createdAt: Date.parse(Created),
    startedAt: Date.parse(State.StartedAt),
  }));
}

/**
 * Returns the start time of a process in milliseconds since the epoch, in steps of the kernel's clock (10
 * ms).
 */
async function startOf(pid: number): Promise<number> {
  const { stdout } = await run('getconf', ['CLK_TCK']);
  const [stat, up] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile('/proc/uptime', 'utf8'),
  ]);
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return Date.now() - Number(up.split(' ')[0]) * 1000 + (ticks / Number(stdout)) * 1000;
}

const IDLE_MS = 5000;

/** Measures the memory of the supervisor of an idle workload. */
export async function measureMemory(
  commands: WorkloadCommands,
  image: string,
  name: string,
): Promise<MemoryFigures> {
  const url = await commands.run([image, '--name', name]);
  await listTools(url);
  await pause(IDLE_MS);
  const memory = await memoryOf(await commands.supervisorOf(name));
  await commands.remove(name);
  return memory;
}

/** Returns the memory of a process from the kernel's summary. */
export async function memoryOf(pid: number): Promise<MemoryFigures> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? Number.NaN) / 1024;
  return { privateDirtyMb: megabytes('Private_Dirty'), residentMb: megabytes('Rss') };
}
