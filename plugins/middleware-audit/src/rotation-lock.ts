import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from './open-audit-file.ts';
import { nameOf } from './rotate-files.ts';

/** A rotation takes milliseconds: who has the lock for longer has ended in the middle of one. */
const STALE_MS = 10_000;
const LOOK_MS = 5;

/**
 * Runs an action that only one process may run at a time for a file, such as renaming it and those before it: two
 * at once would rename one over the other. `FILE.lock` stands there meanwhile. Its age says whether its process has
 * ended, since processes in containers of their own do not see each other. Throws what the system says, and when
 * others are at it for longer than `waitMs`.
 */
export async function withRotationLock(
  file: string,
  action: () => Promise<void>,
  waitMs = 2 * STALE_MS,
): Promise<void> {
  const lock = `${file}.lock`;
  const until = performance.now() + waitMs;
  while (!(await take(lock))) {
    await removeStale(lock);
    if (performance.now() > until) throw new Error(`another process is renaming it: ${lock}`);
    await pause(LOOK_MS);
  }
  try {
    await action();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Others may do so at the same time, and one of them may have taken the lock since: theirs is put back. */
async function removeStale(lock: string): Promise<void> {
  const found = await nameOf(lock);
  if (found === undefined || Date.now() - Number(found.mtimeMs) < STALE_MS) return;
  const aside = `${lock}.${randomUUID()}`;
  try {
    await rename(lock, aside);
    if ((await nameOf(aside))?.ino !== found.ino) await link(aside, lock);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error))) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}
