import { createHash } from 'node:crypto';
import type { BuiltToolIndex, ToolIndex } from '@portolan/plugin-api';
import type { RenderedItem } from '../middleware/rendered-list.ts';
import { indexedToolOf } from './tool-parts.ts';

/** Maximum number of tools in all indexes that are kept. The index of the last list is always kept. */
const MAX_INDEXED_TOOLS = 50_000;

interface KeptIndex {
  readonly size: number;
  readonly built: Promise<BuiltToolIndex>;
}

/**
 * Indexes of lists of tools. All callers with the same list share one, and those that were used last are kept.
 */
export class KeptIndexes {
  readonly #index: ToolIndex;
  readonly #maxTools: number;
  /** Indexes by the digest of their list, in the order of their last use. */
  readonly #kept = new Map<string, KeptIndex>();
  /** Digests of lists that the proxy keeps. */
  readonly #digests = new WeakMap<readonly RenderedItem[], string>();

  constructor(index: ToolIndex, maxTools = MAX_INDEXED_TOOLS) {
    this.#index = index;
    this.#maxTools = maxTools;
  }

  /** Returns the index of a list. Concurrent searches of one list wait for the same index. */
  async get(items: readonly RenderedItem[]): Promise<BuiltToolIndex> {
    const digest = this.#digests.get(items) ?? digestOf(items);
    this.#digests.set(items, digest);
    const kept = this.#kept.get(digest) ?? this.#build(digest, items);
    this.#kept.delete(digest);
    this.#kept.set(digest, kept);
    this.#evict();
    return await kept.built;
  }

  #build(digest: string, items: readonly RenderedItem[]): KeptIndex {
    const built = (async () => await this.#index.build(items.map(indexedToolOf)))();
    const kept = { size: items.length, built };
    built.catch(() => {
      if (this.#kept.get(digest) === kept) this.#kept.delete(digest);
    });
    return kept;
  }

  #evict(): void {
    let total = [...this.#kept.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [digest, { size }] of this.#kept) {
      if (total <= this.#maxTools || this.#kept.size === 1) return;
      this.#kept.delete(digest);
      total -= size;
    }
  }
}

function digestOf(items: readonly RenderedItem[]): string {
  const hash = createHash('sha256');
  for (const { member, own, text } of items) hash.update(`${JSON.stringify([member, own])}${text}\n`);
  return hash.digest('base64');
}
