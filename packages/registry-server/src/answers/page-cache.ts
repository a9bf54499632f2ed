import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

const compress = promisify(gzip);

/** Estimated size of a cache entry besides its content, in bytes. */
const OVERHEAD_BYTES = 600;

/** A response that is ready to be sent. */
export interface Page {
  /** Entity tag of everything that the response depends on; empty when that is unknown. */
  readonly etag: string;
  /** Entity tag of the entries that one view shows; undefined for callers who see everything. */
  readonly viewTag: string | undefined;
  readonly body: Buffer;
  /** Created on the first request that accepts gzip. */
  readonly zipped: Buffer | undefined;
}

/**
 * Caches responses up to `maxBytes` and evicts the least recently used. Concurrent requests for a missing
 * page share the work. A failure reaches all of them and is not cached.
 */
export class PageCache {
  readonly #pages: LRUCache<string, Page> | undefined;
  readonly #making = new Map<string, Promise<Page>>();
  readonly #zipping = new WeakMap<Page, Promise<Buffer>>();

  constructor(maxBytes: number) {
    this.#pages = maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf }) : undefined;
  }

  /** Current size in bytes. */
  get bytes(): number {
    return this.#pages?.calculatedSize ?? 0;
  }

  find(key: string): Page | undefined {
    return this.#pages?.get(key);
  }

  /**
   * Returns the page of this key. Creates a missing page once for all concurrent callers with the same
   * `shared`.
   */
  load(key: string, make: () => Promise<Page>, shared = key): Promise<Page> {
    const found = this.find(key);
    if (found !== undefined) return Promise.resolve(found);
    const running = this.#making.get(shared);
    if (running !== undefined) return running;
    const making = this.#make(key, make, shared);
    this.#making.set(shared, making);
    return making;
  }

  /** Returns the compressed page, cached as long as the page itself. */
  zipped(key: string | undefined, page: Page): Promise<Buffer> {
    const running = this.#zipping.get(page);
    if (running !== undefined) return running;
    const zipping = this.#zip(key, page);
    this.#zipping.set(page, zipping);
    return zipping;
  }

  async #make(key: string, make: () => Promise<Page>, shared: string): Promise<Page> {
    try {
      const page = await make();
      this.#pages?.set(key, page);
      return page;
    } finally {
      this.#making.delete(shared);
    }
  }

  async #zip(key: string | undefined, page: Page): Promise<Buffer> {
    const zipped = await compress(page.body);
    // A new object, because the cache would not recount the size of the same one.
    if (key !== undefined && this.#pages?.peek(key) === page) this.#pages.set(key, { ...page, zipped });
    return zipped;
  }
}

function sizeOf(page: Page, key: string): number {
  return page.body.length + (page.zipped?.length ?? 0) + 2 * key.length + OVERHEAD_BYTES;
}
