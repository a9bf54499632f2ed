import { setTimeout as pass } from 'node:timers/promises';

const DEFAULT_MS = 20_000;

export interface Deadline {
  /** Most time to wait; left out: 20 seconds, for a machine that has other things to do. */
  readonly withinMs?: number;
}

/**
 * Waits until `check` no longer throws, and answers what it returned then.
 * Throws its last error when the time is up. Instead of a sleep: it takes no
 * longer than needed, and says what was still wrong.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = DEFAULT_MS }: Deadline = {},
): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await pass(10);
  }
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
