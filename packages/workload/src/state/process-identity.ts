import { readFile } from 'node:fs/promises';

/** One process, told apart from a later one with the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a text that only equals itself; it also changes when the machine starts again. */
  readonly started: string;
}

let own: Promise<ProcessIdentity> | undefined;

/** This process. Looked up once. */
export function ownProcess(): Promise<ProcessIdentity> {
  own ??= findProcess(process.pid).then((found) => found ?? { pid: process.pid, started: '' });
  return own;
}

/** The process that has this id now; undefined when there is none, or it is over and waits to be cleared away. */
export async function findProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  return (await hasProc()) ? await findOnLinux(pid) : await findByProcessList(pid);
}

let proc: Promise<boolean> | undefined;

/** Where there is no such folder, no process may be taken for dead for want of a file. */
function hasProc(): Promise<boolean> {
  proc ??= readOrNothing('/proc/self/stat').then((text) => text !== undefined);
  return proc;
}

/**
 * Whether that very process is still there. Where its start cannot be told (it
 * is empty in what was written down), the id alone has to do.
 */
export async function isAlive({ pid, started }: ProcessIdentity): Promise<boolean> {
  const now = await findProcess(pid);
  return now !== undefined && (started === '' || now.started === '' || now.started === started);
}

/** Of the flags of a process (proc(5), field 9): it has been killed, or has ended, and is being cleared away. */
const EXITING = 0x4;

/** Start time in clock ticks since the machine started (proc(5), field 22), and which start that was. */
async function findOnLinux(pid: number): Promise<ProcessIdentity | undefined> {
  const [stat, boot] = await Promise.all([readOrNothing(`/proc/${pid}/stat`), bootId()]);
  if (stat === undefined) return undefined;
  // The second field is the program's name, which may hold spaces and brackets.
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
    // ENOENT: never was; ESRCH: ended while it was read.
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
    const { execFile } = await import('node:child_process'); // not needed where there is /proc
    const { promisify } = await import('node:util');
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    return { pid, started: stdout.trim() };
  } catch {
    // It ended between the two questions.
    return undefined;
  }
}
