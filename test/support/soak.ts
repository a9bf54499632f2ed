/** Whether this is the long form of the tests, `npm run test:soak`. Only this module reads the variable. */
export const IS_SOAK = process.env['PORTOLAN_TEST_SOAK'] === '1';

/**
 * Seed of all random values in tests. The short form always has the same seed. Each process of the long form
 * has another one and prints it. Properties use it automatically (`seeded-properties.ts`).
 */
export const SEED = IS_SOAK ? Math.floor(Math.random() * 2 ** 31) : 20_251_122;

/** Whether this is the fast tier (`npm run test:fast`), which tries a part of the cases of the short form. */
export const IS_FAST = process.env['PORTOLAN_TEST_FAST'] === '1';

/** Share of the short form's cases that the fast tier tries. The seed is the same, so they are its first cases. */
const FAST_SHARE = 0.2;
/** Minimum number of cases of a property in the fast tier, unless its short form has fewer. */
const MIN_FAST_RUNS = 10;

/** Returns how many cases the fast tier tries of a property whose short form has `short`. */
export function fastRuns(short: number): number {
  return Math.min(short, Math.max(MIN_FAST_RUNS, Math.ceil(short * FAST_SHARE)));
}

/** Numbers of runs of a random test. */
export interface Trials {
  readonly numRuns: number;
}

/**
 * Returns the settings of `fc.assert`: few runs in `npm test`, many in `npm run test:soak`, a part of
 * the few in `npm run test:fast`. Without `long`, the soak tries twenty times as many as `npm test`.
 * `fast` is for properties that also count how often each outcome occurs.
 */
export function trials(runs: {
  readonly short: number;
  readonly long?: number;
  readonly fast?: number;
}): Trials {
  if (IS_SOAK) return { numRuns: runs.long ?? runs.short * 20 };
  return { numRuns: IS_FAST ? (runs.fast ?? fastRuns(runs.short)) : runs.short };
}

/** Returns the limit for `this.timeout`. The long form has none. */
export function limitMs(ms: number): number {
  return IS_SOAK ? 0 : ms;
}

/** Duration of the long form and number of runs of the short form. */
export interface TimedTrials extends Trials {
  readonly interruptAfterTimeLimit?: number;
}

/**
 * Returns the settings of `fc.assert`: a few runs in `npm test`, and minutes of runs in `npm run test:soak`.
 */
export function trialsFor(runs: { readonly short: number; readonly minutes: number }): TimedTrials {
  if (!IS_SOAK) return trials({ short: runs.short });
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: runs.minutes * 60_000 };
}
