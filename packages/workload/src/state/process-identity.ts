import { readFile } from 'node:fs/promises';

/** Identity of a process. A later process with the same id has a different identity. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time of the process as an opaque text, which also differs between boots of the machine. */
  readonly started: string;
}

let own: Promise<ProcessIdentity> | undefined;

export function ownProcess(): Promise<ProcessIdentity> {
  own ??= findProcess(process.pid).then(
    (processIdentity) => processIdentity ?? { pid: process.pid, started: '' },
  );
  return own;
}

/** Returns the process that has this id now; undefined when there is none, or only a zombie. */
export async function findProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  return (await hasProc()) ? await findOnLinux(pid) : await findByProcessList(pid);
}

let proc: Promise<boolean> | undefined;

/**
 * Returns whether the system has `/proc`. Only then does a missing entry in `/proc` prove that a process is
 * dead.
 */
function hasProc(): Promise<boolean> {
  proc ??= readOrNothing('/proc/self/stat').then((text) => text !== undefined);
  return proc;
}

/** Returns whether exactly this process still runs. If a start time is unknown, only the ids are compared. */
export async function isAlive({ pid, started }: ProcessIdentity): Promise<boolean> {
  const now = await findProcess(pid);
  return now !== undefined && (started === '' || now.started === '' || now.started === started);
}

/** Bit in the process flags (proc(5), field 9): the process is exiting. */
const EXITING = 0x4;

/** Returns the identity from the boot id and the start time in clock ticks since boot (proc(5), field 22). */
async function findOnLinux(pid: number): Promise<ProcessIdentity | undefined> {
  const [stat, boot] = await Promise.all([readOrNothing(`/proc/${pid}/stat`), bootId()]);
  if (stat === undefined) return undefined;
  // The second field, the program's name, may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X' || (Number(fields[6]) & EXITING) !== 0) return undefined;
  return { pid, started: `${boot}/${fields[19] ?? ''}` };
}

let boot: Promise<string> | undefined;

function bootId(): Promise<string> {
  boot ??= readOrNothing('/proc/sys/kernel/random/boot_id').then((text) => text?.trim() ?? '');
  return boot;
}

async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    // ENOENT: there is no such process. ESRCH: it ended during the read.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) {
      return undefined;
    }
    throw error;
  }
}

async function findByProcessList(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') return { pid, started: '' };
    return undefined;
  }
  if (process.platform === 'win32') return { pid, started: '' };
  try {
    const { execFile } = await import('node:child_process'); // only needed without /proc
    const { promisify } = await import('node:util');
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    return { pid, started: stdout.trim() };
  } catch {
    // The process ended between `kill` and `ps`.
    return undefined;
  }
}
