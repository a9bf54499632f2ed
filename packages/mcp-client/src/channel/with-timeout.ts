/** Returns a signal that aborts with `signal`, and after the timeout if there is one. */
export function withTimeout(signal: AbortSignal, timeoutMs: number | undefined): AbortSignal {
  return timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
