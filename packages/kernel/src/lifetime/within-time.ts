/** Default timeout of a call into a plugin, and of loading a configuration module, in milliseconds. */
export const PATIENCE_MS = 30_000;

/**
 * Awaits a call with a timeout and rejects after it. A late result goes to `cameLate`, which must not throw.
 * A timer keeps the process alive until the timeout; otherwise Node.js would exit silently when only an
 * unsettled promise remains.
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
      // An error in time is reported below. A late one has no receiver.
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

/** Creates the cause of an error about a plugin whose call timed out. */
function tookTooLong(limitMs: number): Error {
  return new Error(`it did not finish within ${limitMs / 1000} s`);
}
