import { setTimeout as pass } from 'node:timers/promises';

const DEFAULT_MS = 20_000;

export interface Deadline {
  readonly withinMs?: number;
}

/**
 * Polls until `check` no longer throws, and returns its result. Throws the last error after the timeout. The
 * interval grows, so that the awaited work gets CPU time.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = DEFAULT_MS }: Deadline = {},
): Promise<Result> {
  const began = performance.now();
  const deadline = began + withinMs;
  for (;;) {
    const startedAt = performance.now();
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    const now = performance.now();
    await pass(Math.min(pauseMs({ waited: now - began, took: now - startedAt }), deadline - now));
  }
}

function pauseMs({ waited, took }: { readonly waited: number; readonly took: number }): number {
  return Math.max(10, Math.min(waited / 10, 100), Math.min(2 * took, 1000));
}

/** Awaits a promise. Throws an error that names `what` after the timeout. */
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
