/** The longest time that a timer of Node takes, 24.8 days; a longer one would be none at all. */
const MAX_MS = 2 ** 31 - 1;

/** A time as timers take it: whole milliseconds, rounded up, and at most 24.8 days. */
export function timerMs(durationMs: number): number {
  return Math.min(MAX_MS, Math.max(0, Math.ceil(durationMs)));
}
