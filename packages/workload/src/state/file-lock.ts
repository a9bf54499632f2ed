import { randomBytes } from 'node:crypto';
import { readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '@portolan/run-spec';
import { stateBusy, stateInaccessible } from './state-errors.ts';
import { makeFolders } from './make-folders.ts';
import { isAlive, ownProcess, type ProcessIdentity } from './process-identity.ts';

export interface LockOptions {
  /** Most time to wait for others; left out, 10 s. */
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
 * Takes a lock that one process has at a time, and one caller in it. `folder`
 * holds a file for each who wants it, and is the lock. A process that ended
 * without releasing holds nothing: it is known by its id and start time, so
 * that no lock ever has to be broken by its age. Throws ERR_STATE_BUSY when the
 * time is over, naming who has it, ERR_STATE_INACCESSIBLE when the folder
 * cannot be written, and the reason of the signal.
 *
 * Lamport's bakery: whoever comes draws a number above all others and waits for
 * those below. Only files with names of their own are made and removed, so no
 * step depends on a file being replaced at the right moment.
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

/** Runs an action under a lock. */
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
  /** Undefined while it is drawn. */
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
 * Whoever releases a lock last removes its folder, which may be just before a
 * file is made in it, or while the folder is made.
 */
async function createIn(folder: string, file: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await makeFolders(folder, 0o700);
      await writeFile(file, '', { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      // A link to nowhere in the path looks the same, and stays.
      if (codeOf(error) !== 'ENOENT' || tries === MAX_TRIES) throw error;
    }
  }
}

async function removeWhenEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Others want the lock, have removed the folder already, or have it open (Windows).
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
 * Two looks at the folder: first until nobody draws who drew before our ticket
 * was there, then at the tickets. One look would not do: a folder is not read
 * in one moment, and a claim may turn from drawing to ticket meanwhile.
 */
async function waitForTurn(
  folder: string,
  ticket: Claim,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const begun = performance.now();
  let waitMs = SHORTEST_WAIT_MS;
  for (const isBefore of [isDrawing, hasLowerTicket]) {
    for (;;) {
      const ahead = await findAhead(
        folder,
        (claim) => claim.nonce !== ticket.nonce && isBefore(claim, ticket),
      );
      if (ahead === undefined) break;
      signal?.throwIfAborted();
      const waitedMs = performance.now() - begun;
      if (waitedMs >= timeoutMs) throw stateBusy(nameOfLock(folder), `process ${ahead.pid}`, waitedMs);
      await delay(waitMs, undefined, { signal });
      waitMs = Math.min(MAX_WAIT_MS, waitMs * 2);
    }
  }
}

function isDrawing({ number }: Claim): boolean {
  return number === undefined;
}

/** Equal numbers are decided by the rest of the name. */
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

/** The first claim of a process that is there; those of processes that ended are removed. */
async function findAhead(folder: string, isAhead: (claim: Claim) => boolean): Promise<Claim | undefined> {
  const claims = (await readClaims(folder))
    .filter(isAhead)
    .toSorted((one, other) => (one.file < other.file ? -1 : 1));
  for (const claim of claims) {
    if (await isAlive(claim)) return claim;
    // Its name is of one process only: nobody else can be meant.
    await rm(path.join(folder, claim.file), { force: true });
  }
  return undefined;
}

function nameOfLock(folder: string): string {
  return path.basename(folder).replace(/\.lock$/, '');
}
