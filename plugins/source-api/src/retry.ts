import { setTimeout as delay } from 'node:timers/promises';

export interface RetryRules {
  readonly max: number;
  /** Waits for a time. Throws when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to below 1, so that many sources do not retry at the same time. */
  readonly random: () => number;
  readonly clock: () => Date;
}

/**
 * Maximum wait in milliseconds. If the server demands a longer wait, the sync fails, and the next sync
 * retries.
 */
export const MAX_WAIT_MS = 60_000;

const FIRST_WAIT_MS = 500;

/** Statuses of temporary failures: too many requests, or an unhealthy or unreachable server. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export function isTransient(status: number): boolean {
  return PASSING.has(status);
}

/**
 * Returns the pause before a retry. It doubles with each attempt, counted from 0, and is randomized between
 * half and all of that.
 */
export function backOff(attempt: number, random: () => number): number {
  const whole = Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempt, 20), MAX_WAIT_MS);
  return whole * (0.5 + random() / 2);
}

/** Returns the wait in a `Retry-After` header, which has seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Without a month, `Date.parse` accepts many texts that are no dates.
  const isDate = /^[A-Z][a-z]{2,8},? .*[A-Z][a-z]{2}/.test(text);
  // The oldest of the three date formats does not name GMT, which all use.
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
