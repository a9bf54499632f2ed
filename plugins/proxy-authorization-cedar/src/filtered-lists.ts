import type { MessageChange } from '@portolan/plugin-api';

/** Callers of whom it is remembered what they do not see of one list. */
const MOST_CALLERS = 16;

/**
 * What was taken out of a list for a caller, as long as the proxy shows the same list:
 * one that it knows is the same object, frozen, each time. Forgotten as a whole when the policies change.
 */
export class FilteredLists {
  #changes = new WeakMap<object, Map<string, readonly MessageChange[]>>();

  /** `caller` tells apart all for whom another decision is possible; what is not sure is not remembered. */
  of(
    result: unknown,
    caller: string,
    filter: () => { readonly change: readonly MessageChange[]; readonly isSure: boolean },
  ): readonly MessageChange[] {
    if (typeof result !== 'object' || result === null || !Object.isFrozen(result)) return filter().change;
    const known = this.#changes.get(result) ?? new Map<string, readonly MessageChange[]>();
    const before = known.get(caller);
    if (before !== undefined) return before;
    const { change, isSure } = filter();
    if (!isSure) return change;
    const [oldest] = known.keys();
    if (known.size >= MOST_CALLERS && oldest !== undefined) known.delete(oldest);
    this.#changes.set(result, known.set(caller, change));
    return change;
  }

  clear(): void {
    this.#changes = new WeakMap();
  }
}
