import { tookTooLong } from './lifetime-errors.ts';

/** Most time for one call into a plugin, or for a configuration that is code to load. */
export const PATIENCE_MS = 30_000;

/**
 * What the call answers. Rejects when that takes longer than the limit; whatever
 * it does then is not waited for, but what it answers in the end goes to
 * `cameLate`, which may not throw. The process stays alive until the limit:
 * without it, Node.js ends silently when all that is left is a promise that
 * nobody settles.
 */
export async function withinTime<T>(
  call: () => T | PromiseLike<T>,
  limitMs = PATIENCE_MS,
  cameLate?: (answer: T) => void,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reject(tookTooLong(limitMs));
  }, limitMs);
  try {
    const answer = Promise.resolve(call());
    if (cameLate !== undefined) {
      // A failure in time is told below; a late one has nobody to be told.
      void answer.then(
        (value) => (isLate ? cameLate(value) : undefined),
        () => undefined,
      );
    }
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
