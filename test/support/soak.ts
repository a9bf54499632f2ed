/** Whether the long form of tests is wanted: `npm run test:soak`. Nothing else reads the variable. */
export const IS_SOAK = process.env['PORTOLAN_TEST_SOAK'] === '1';

/**
 * What everything random that a test draws begins from: the same in every short form, so that it
 * tries the same cases each time; another one in each process of a long form, which prints it.
 * Properties have it by themselves (`seeded-properties.ts`).
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

/** How often something random is tried. */
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

/** A limit for `this.timeout`: the long form has none. */
export function limitMs(ms: number): number {
  return IS_SOAK ? 0 : ms;
}

/** Of a long form that goes on for so long; of a short one that is over in a moment. */
export interface TimedTrials extends Trials {
  readonly interruptAfterTimeLimit?: number;
}

/** For `fc.assert`: a few runs in `npm test`, and minutes of them in `npm run test:soak`, as fuzzers run. */
export function trialsFor(runs: { readonly short: number; readonly minutes: number }): TimedTrials {
  if (!IS_SOAK) return trials({ short: runs.short });
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: runs.minutes * 60_000 };
}
