import { setTimeout as delay } from 'node:timers/promises';

/** How requests are repeated; tests pass their own. */
export interface RetryRules {
  /** How often a request is sent again. */
  readonly most: number;
  /** Waits; throws when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to below 1, so that many sources do not come back at one moment. */
  readonly random: () => number;
  readonly clock: () => Date;
}

/** Longest wait within a sync: where more is asked for, the sync ends and the next one asks. */
export const MAX_WAIT_MS = 60_000;

const FIRST_WAIT_MS = 500;

/** Statuses that pass by themselves: too many requests, or a server that is not well or not there. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export function isPassing(status: number): boolean {
  return PASSING.has(status);
}

/** Milliseconds before the attempt after the given one, the first of which is 0: doubled each time, from half of it up. */
export function backOff(attempt: number, random: () => number): number {
  const whole = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt, 20), MAX_WAIT_MS);
  return whole * (0.5 + random() / 2);
}

/** Milliseconds that `Retry-After` asks for (RFC 9110, 10.2.3): seconds or a date; undefined where it says neither. */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Without a month in it, `Date.parse` takes much for a date that is none.
  const isDate = /^[A-Z][a-z]{2,8},? .*[A-Z][a-z]{2}/.test(text);
  // The oldest of the three forms of a date does not say that it is in GMT, as all are.
  const time = isDate ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
}

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
