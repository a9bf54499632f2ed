/** Default timeout of a call into a plugin or a configuration module, in milliseconds. */
export const PATIENCE_MS = 30_000;

/**
 * Rejects when a promise does not settle before the timeout. Passes a later result to `cameLate`, which must
 * not throw. The timer keeps the process alive, because Node.js would exit silently while only an unsettled
 * promise remains.
 */
export async function withinTime<T>(
  call: () => T | PromiseLike<T>,
  limitMs = PATIENCE_MS,
  cameLate?: (result: T) => void,
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reject(tookTooLong(limitMs));
  }, limitMs);
  try {
    const result = Promise.resolve(call());
    if (cameLate !== undefined) {
      // No caller waits any more, so an error after the timeout is dropped.
      void result.then(
        (value) => (isLate ? cameLate(value) : undefined),
        () => undefined,
      );
    }
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tookTooLong(limitMs: number): Error {
  return new Error(`it did not finish within ${limitMs / 1000} s`);
}
