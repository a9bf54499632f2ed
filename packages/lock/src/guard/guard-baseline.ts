import type { Baseline } from '../compare/baseline.ts';

/** Reaction to a change of what was approved; see `DriftGuard`. */
export type DriftReaction = 'warn' | 'hold' | 'refuse';

/** Baseline of a guard, and its reaction to differences. */
export interface GuardBaseline {
  readonly reaction: DriftReaction;
  /** Undefined: the first complete list of each kind becomes the baseline. */
  readonly baseline: Baseline | undefined;
}
