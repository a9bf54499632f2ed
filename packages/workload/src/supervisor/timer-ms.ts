/** Maximum delay of a Node.js timer, 24.8 days; a longer delay would fire at once. */
const MAX_MS = 2 ** 31 - 1;

/** Returns a delay that timers accept: whole milliseconds, rounded up, at most 24.8 days. */
export function timerMs(durationMs: number): number {
  return Math.min(MAX_MS, Math.max(0, Math.ceil(durationMs)));
}
