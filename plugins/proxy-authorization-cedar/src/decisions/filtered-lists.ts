import type { MessageChange } from '@portolan/plugin-api';

/** Maximum number of callers cached per list. */
const MAX_CALLERS = 16;

/**
 * Caches filtered lists by the list object, because the proxy passes the same frozen object while the list is
 * unchanged. A change of policies clears the cache.
 */
export class FilteredLists {
  #changes = new WeakMap<object, Map<string, readonly MessageChange[]>>();

  find(result: unknown, caller: string): readonly MessageChange[] | undefined {
    return isFrozen(result) ? this.#changes.get(result)?.get(caller) : undefined;
  }

  /** Caches the changes of a list for a caller. `caller` differs wherever a decision could differ. */
  remember(result: unknown, caller: string, change: readonly MessageChange[]): void {
    if (!isFrozen(result)) return;
    const known = this.#changes.get(result) ?? new Map<string, readonly MessageChange[]>();
    const [oldest] = known.keys();
    if (known.size >= MAX_CALLERS && oldest !== undefined) known.delete(oldest);
    this.#changes.set(result, known.set(caller, change));
  }

  clear(): void {
    this.#changes = new WeakMap();
  }
}

function isFrozen(result: unknown): result is object {
  return typeof result === 'object' && result !== null && Object.isFrozen(result);
}
