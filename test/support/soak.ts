/** Whether the long form of tests is wanted: `npm run test:soak`. Nothing else reads the variable. */
export const IS_SOAK = process.env['PORTOLAN_TEST_SOAK'] === '1';

/**
 * What everything random that a test draws begins from: the same in every short form, so that it
 * tries the same cases each time; another one in each process of a long form, which prints it.
 * Properties have it by themselves (`seeded-properties.ts`).
 */
export const SEED = IS_SOAK ? Math.floor(Math.random() * 2 ** 31) : 20_251_122;

/** How often something random is tried. */
export interface Trials {
  readonly numRuns: number;
}

/** For `fc.assert`: a few runs in `npm test`, many in `npm run test:soak`. */
export function trials(runs: { readonly short: number; readonly long: number }): Trials {
  return { numRuns: IS_SOAK ? runs.long : runs.short };
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
  if (!IS_SOAK) return { numRuns: runs.short };
  return { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: runs.minutes * 60_000 };
}
