import { randomBytes } from 'node:crypto';
import { readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '@portolan/run-spec';
import { stateBusy, stateInaccessible } from './state-errors.ts';
import { makeFolders } from './make-folders.ts';
import { isAlive, ownProcess, type ProcessIdentity } from './process-identity.ts';

export interface LockOptions {
  /** Maximum time to wait for the lock, in milliseconds; default 10,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface FileLock {
  release(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const SHORTEST_WAIT_MS = 2;
const MAX_TRIES = 1000;
const MAX_WAIT_MS = 50;

/**
 * Takes an exclusive lock between processes and between callers in one process. Throws ERR_STATE_BUSY with
 * the holder on timeout, ERR_STATE_INACCESSIBLE when the folder is not writable, and the reason of the
 * signal.
 *
 * The lock is a folder with one file per contender. Each file names its process by id and start time, so a
 * dead process holds no lock and no lock has to expire. The algorithm is Lamport's bakery: each contender
 * draws a number above all others, and waits for all lower numbers. Contenders create and remove only their
 * own files, so there is no race.
 */
export async function takeLock(folder: string, options: LockOptions = {}): Promise<FileLock> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
  signal?.throwIfAborted();
  const owner = { ...(await ownProcess()), nonce: randomBytes(6).toString('hex') };
  const opened: string[] = [];
  const release = async (): Promise<void> => {
    const files = opened.splice(0);
    if (files.length === 0) return;
    for (const file of files) await rm(file, { force: true });
    await removeWhenEmpty(folder);
  };
  try {
    const ticket = await drawTicket(folder, owner, opened);
    await waitForTurn(folder, ticket, { timeoutMs, signal });
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

/** Runs an action while holding a lock. */
export async function withLock<Result>(
  folder: string,
  action: () => Promise<Result>,
  options?: LockOptions,
): Promise<Result> {
  const lock = await takeLock(folder, options);
  try {
    return await action();
  } finally {
    await lock.release();
  }
}

interface Claim extends ProcessIdentity {
  readonly nonce: string;
  /** Ticket number; undefined while the process is still drawing its number. */
  readonly number: number | undefined;
  readonly file: string;
}

async function drawTicket(
  folder: string,
  owner: ProcessIdentity & { readonly nonce: string },
  opened: string[],
): Promise<Claim> {
  const identity = `${owner.pid}.${Buffer.from(owner.started).toString('hex')}.${owner.nonce}`;
  const drawing = path.join(folder, `drawing.${identity}`);
  try {
    await createIn(folder, drawing);
    opened.push(drawing);
    const number = 1 + Math.max(0, ...(await listClaims(folder)).map((claim) => claim.number ?? 0));
    const name = `ticket.${String(number).padStart(10, '0')}.${identity}`;
    const file = path.join(folder, name);
    opened.push(file);
    await writeFile(file, '', { flag: 'wx', mode: 0o600 });
    await rm(drawing, { force: true });
    return { ...owner, number, file: name };
  } catch (error) {
    throw stateInaccessible(folder, 'write', error);
  }
}

/**
 * Creates a file in the lock's folder. Retries, because another process may remove the folder at any moment
 * when it releases the lock.
 */
async function createIn(folder: string, file: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await makeFolders(folder, 0o700);
      await writeFile(file, '', { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      // A broken symbolic link in the path causes the same error, and retries do not help against it.
      if (codeOf(error) !== 'ENOENT' || tries === MAX_TRIES) throw error;
    }
  }
}

async function removeWhenEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Another contender created a file in the folder, removed the folder, or has it open (Windows).
    const others = ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'EPERM', 'EACCES'];
    if (!others.includes(codeOf(error) ?? '')) throw stateInaccessible(folder, 'write', error);
  }
}

async function listClaims(folder: string): Promise<readonly Claim[]> {
  const names = await readdir(folder);
  return names.flatMap((file) => {
    const parts =
      /^(?:drawing|ticket\.(?<number>\d+))\.(?<pid>\d+)\.(?<started>[0-9a-f]*)\.(?<nonce>[0-9a-f]+)$/.exec(
        file,
      )?.groups;
    if (parts === undefined) return [];
    const { number, pid, started = '', nonce = '' } = parts;
    return [
      {
        pid: Number(pid),
        started: Buffer.from(started, 'hex').toString(),
        nonce,
        number: number === undefined ? undefined : Number(number),
        file,
      },
    ];
  });
}

/**
 * Waits until no earlier contender is still drawing a number, and then until no ticket has a lower number.
 * Reading a folder is not atomic, so each condition is checked in repeated reads.
 */
async function waitForTurn(
  folder: string,
  ticket: Claim,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const startedAt = performance.now();
  let waitMs = SHORTEST_WAIT_MS;
  for (const isBefore of [isDrawing, hasLowerTicket]) {
    for (;;) {
      const ahead = await findAhead(
        folder,
        (claim) => claim.nonce !== ticket.nonce && isBefore(claim, ticket),
      );
      if (ahead === undefined) break;
      signal?.throwIfAborted();
      const waitedMs = performance.now() - startedAt;
      if (waitedMs >= timeoutMs) throw stateBusy(nameOfLock(folder), `process ${ahead.pid}`, waitedMs);
      await delay(waitMs, undefined, { signal });
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
  }
}

function isDrawing({ number }: Claim): boolean {
  return number === undefined;
}

/** Returns whether `claim` comes before `ticket`. If the numbers are equal, the file names decide. */
function hasLowerTicket(claim: Claim, ticket: Claim): boolean {
  return claim.number !== undefined && claim.file < ticket.file;
}

async function readClaims(folder: string): Promise<readonly Claim[]> {
  try {
    return await listClaims(folder);
  } catch (error) {
    throw stateInaccessible(folder, 'read', error);
  }
}

/** Returns the first claim of a live process that is ahead, and removes the claims of dead processes. */
async function findAhead(folder: string, isAhead: (claim: Claim) => boolean): Promise<Claim | undefined> {
  const claims = (await readClaims(folder))
    .filter(isAhead)
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
  for (const claim of claims) {
    if (await isAlive(claim)) return claim;
    // The file name contains the identity of the dead process, so no other process owns the file.
    await rm(path.join(folder, claim.file), { force: true });
  }
  return undefined;
}

function nameOfLock(folder: string): string {
  return path.basename(folder).replace(/\.lock$/, '');
}
