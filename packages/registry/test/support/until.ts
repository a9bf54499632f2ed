import { setTimeout as delay } from 'node:timers/promises';

/** Waits until a condition holds; throws after ten seconds, saying what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ten seconds for ${what}`);
    await delay(5);
  }
}
