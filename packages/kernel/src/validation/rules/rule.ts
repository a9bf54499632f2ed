import type { ConfigPath, PositionFinder } from '../../faults/config-path.ts';
import type { KindTable } from '../../kinds/kind-table.ts';

export interface RuleInput {
  /** The whole configuration. It may contain values that the schemas rejected. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly kinds: KindTable;
  readonly sourceKinds: readonly string[];
  readonly positionOf: PositionFinder;
  readonly directory: string;
}

export type Report = (place: ConfigPath, actual: string, expected: string, didYouMean?: string) => void;
