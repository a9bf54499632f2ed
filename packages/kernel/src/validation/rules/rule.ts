import type { Place, PositionFinder } from '../../faults/config-place.ts';
import type { KindTable } from '../../kinds/kind-table.ts';

/** Input of the rules. */
export interface RuleInput {
  /** The whole configuration. It may still contain what the schemas rejected. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly kinds: KindTable;
  /** Names of all source kinds, including unused ones. */
  readonly sourceKinds: readonly string[];
  readonly positionOf: PositionFinder;
  /** Base folder of relative paths. */
  readonly directory: string;
}

/** Reports what a rule found at a place, and what it expected. */
export type Report = (place: Place, found: string, expected: string, didYouMean?: string) => void;
