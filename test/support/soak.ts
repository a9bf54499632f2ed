/** Whether the long form of tests is wanted: `npm run test:soak`. Nothing else reads the variable. */
export const IS_SOAK = process.env['PORTOLAN_TEST_SOAK'] === '1';

/** The seed of the short form, so that it tries the same cases each time. */
const SEED = 20_251_122;

/** How often something random is tried. */
export interface Trials {
  readonly numRuns: number;
  /** Left out in the long form, which tries new cases each time; a failure says which seed it had. */
  readonly seed?: number;
}

/** For `fc.assert`: a few seeded runs in `npm test`, many new ones in `npm run test:soak`. */
export function trials(runs: { readonly short: number; readonly long: number }): Trials {
  return IS_SOAK ? { numRuns: runs.long } : { numRuns: runs.short, seed: SEED };
}

/** A limit for `this.timeout`: the long form has none. */
export function limitMs(ms: number): number {
  return IS_SOAK ? 0 : ms;
}

/** Of a long form that goes on for so long; of a short one that is over in a moment. */
export interface TimedTrials extends Trials {
  readonly interruptAfterTimeLimit?: number;
}

/** For `fc.assert`: a few seeded runs in `npm test`, and minutes of new ones in `npm run test:soak`, as fuzzers run. */
export function trialsFor(runs: { readonly short: number; readonly minutes: number }): TimedTrials {
  if (!IS_SOAK) return { numRuns: runs.short, seed: SEED };
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: runs.minutes * 60_000 };
}
