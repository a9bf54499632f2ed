/**
 * Settles like the promise, or rejects with the signal's reason. Does not stop the work behind the promise.
 */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const over = Promise.withResolvers<never>();
  const end = (): void => over.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
