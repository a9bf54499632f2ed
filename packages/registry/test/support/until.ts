import { setTimeout as delay } from 'node:timers/promises';

const MAX_MS = 40_000;

/** Waits until a condition holds; throws when it takes longer than any machine needs, saying what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + MAX_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${MAX_MS} ms for ${what}`);
    await delay(5);
  }
}
