import type { ListKind } from '../compare/difference.ts';

/** Maximum number of lists whose pages are collected at the same time. */
const MAX_UNFINISHED = 16;
/** Maximum number of items of a collected list. A longer list is not compared. */
const MAX_ITEMS = 10_000;

/** Collects the pages of the first lists of a server that was never approved. */
export class FirstLists {
  /** Items of the pages so far, by kind and by the cursor of the next page. */
  readonly #unfinished = new Map<string, readonly unknown[]>();

  /** Adds a page. Returns all items with the last page of a list; otherwise undefined. */
  add(
    kind: ListKind,
    items: readonly unknown[],
    cursor: unknown,
    nextCursor: unknown,
  ): readonly unknown[] | undefined {
    const before = this.#take(kind, cursor);
    if (before === undefined) return undefined;
    const all = [...before, ...items];
    // Clients read an empty cursor as the end of the list.
    if (typeof nextCursor !== 'string' || nextCursor === '') return all;
    if (all.length <= MAX_ITEMS) this.#keep(keyOf(kind, nextCursor), all);
    return undefined;
  }

  #take(kind: ListKind, cursor: unknown): readonly unknown[] | undefined {
    if (typeof cursor !== 'string') return [];
    const key = keyOf(kind, cursor);
    const before = this.#unfinished.get(key);
    this.#unfinished.delete(key);
    return before;
  }

  #keep(key: string, items: readonly unknown[]): void {
    this.#unfinished.set(key, items);
    const [oldest] = this.#unfinished.keys();
    if (this.#unfinished.size > MAX_UNFINISHED && oldest !== undefined) this.#unfinished.delete(oldest);
  }
}

function keyOf(kind: ListKind, cursor: string): string {
  return `${kind} ${cursor}`;
}
