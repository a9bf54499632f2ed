import type { Place, PositionFinder } from '../../faults/config-place.ts';
import type { KindTable } from '../../kinds/kind-table.ts';

/** What rules look at. */
export interface RuleInput {
  /** The whole configuration; what the schemas have refused may still be in it. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly kinds: KindTable;
  /** Every name a source kind may have, also of those that are not in use. */
  readonly sourceKinds: readonly string[];
  readonly positionOf: PositionFinder;
  /** Folder that relative paths start from. */
  readonly directory: string;
}

/** Tells what a rule has found at a place, and what was expected there. */
export type Report = (place: Place, found: string, expected: string, didYouMean?: string) => void;
