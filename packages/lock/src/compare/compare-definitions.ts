import { type Baseline, type CurrentDefinitions, LISTS } from './baseline.ts';
import { type Difference, LIST_KINDS, type ListKind } from './difference.ts';
import { ItemComparer } from './item-comparer.ts';
import type { DefinitionList } from './read-items.ts';
import { compareImage } from './compare-image.ts';
import { compareServer } from './compare-server.ts';

export interface CompareOptions {
  /**
   * Whether to report items of the baseline that a list lacks. Off by default, because a policy or a login may
   * hide items from a client.
   */
  readonly reportRemoved?: boolean;
}

/**
 * Returns every difference between a baseline and what a server sends now: lists first, each sorted by name.
 * Parts that the baseline or the current definitions lack are not compared.
 */
export function compareDefinitions(
  baseline: Baseline,
  current: CurrentDefinitions,
  options: CompareOptions = {},
): readonly Difference[] {
  return new DefinitionComparer(baseline).compare(current, options);
}

/**
 * Compares many responses with one baseline. Remembers the last lists, so that the comparison of equal bytes
 * costs next to nothing.
 */
export class DefinitionComparer {
  readonly #baseline: Baseline;
  readonly #comparers: ReadonlyMap<ListKind, ItemComparer>;

  constructor(baseline: Baseline) {
    this.#baseline = baseline;
    this.#comparers = new Map(
      LIST_KINDS.flatMap((kind) => {
        const approved = baseline[LISTS[kind]];
        return approved === undefined ? [] : [[kind, new ItemComparer(kind, approved)] as const];
      }),
    );
  }

  /** Works like `compareDefinitions`. */
  compare(
    current: CurrentDefinitions,
    { reportRemoved = false }: CompareOptions = {},
  ): readonly Difference[] {
    const lists = LIST_KINDS.flatMap((kind) => {
      const list = current[LISTS[kind]];
      if (list === undefined) return [];
      return [
        ...this.compareList(kind, list),
        ...(reportRemoved ? (this.#comparers.get(kind)?.findRemoved(list) ?? []) : []),
      ].toSorted(byName);
    });
    return [
      ...lists,
      ...compareServer(this.#baseline.server, current.server),
      ...compareImage(this.#baseline, current),
    ];
  }

  /** Returns the differences of one list or of one of its pages, without removed items. */
  compareList(kind: ListKind, list: DefinitionList): readonly Difference[] {
    return this.#comparers.get(kind)?.compare(list) ?? [];
  }
}

function byName(left: Difference, right: Difference): number {
  if (left.name === right.name) return 0;
  return left.name < right.name ? -1 : 1;
}
