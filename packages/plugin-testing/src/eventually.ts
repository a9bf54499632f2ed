import { setTimeout as pass } from 'node:timers/promises';

const DEFAULT_MS = 20_000;

export interface Deadline {
  /** Most time to wait; left out: 20 seconds, for a machine that has other things to do. */
  readonly withinMs?: number;
}

/**
 * Waits until `check` no longer throws, and answers what it returned then.
 * Throws its last error when the time is up. Instead of a sleep: it takes about
 * as long as needed, and says what was still wrong. It looks every few
 * milliseconds at first, and less often the longer it has waited and the more
 * time a check takes: one that starts a process or asks an engine leaves the
 * processor to what it waits for.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = DEFAULT_MS }: Deadline = {},
): Promise<Result> {
  const began = performance.now();
  const deadline = began + withinMs;
  for (;;) {
    const asked = performance.now();
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    const now = performance.now();
    await pass(Math.min(pauseMs({ waited: now - began, took: now - asked }), deadline - now));
  }
}

function pauseMs({ waited, took }: { readonly waited: number; readonly took: number }): number {
  return Math.max(10, Math.min(waited / 10, 100), Math.min(2 * took, 1000));
}

/** What the promise answers, or an error that says what did not happen in time. */
export async function inTime<Result>(
  what: string,
  promise: Promise<Result>,
  { withinMs = DEFAULT_MS }: Deadline = {},
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${withinMs} ms`)), withinMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
