import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

const compress = promisify(gzip);

/** Estimated overhead of a cache entry, in bytes. */
const OVERHEAD_BYTES = 600;

export interface Page {
  /** Entity tag for everything that the response depends on. Empty when that is unknown. */
  readonly etag: string;
  /** Entity tag for the entries that one caller sees. Undefined for callers who see everything. */
  readonly viewTag: string | undefined;
  readonly body: Buffer;
  /** Compressed page. Created on the first request that accepts gzip. */
  readonly zipped: Buffer | undefined;
}

/**
 * Caches pages up to `maxBytes` and evicts the least recently used. Concurrent requests for a missing page
 * share its creation. A failure is reported to all of them and not cached.
 */
export class PageCache {
  readonly #pages: LRUCache<string, Page> | undefined;
  readonly #making = new Map<string, Promise<Page>>();
  readonly #zipping = new WeakMap<Page, Promise<Buffer>>();

  constructor(maxBytes: number) {
    this.#pages = maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf }) : undefined;
  }

  get bytes(): number {
    return this.#pages?.calculatedSize ?? 0;
  }

  find(key: string): Page | undefined {
    return this.#pages?.get(key);
  }

  /** Creates a missing page once for all concurrent callers with the same `shared`. */
  load(key: string, make: () => Promise<Page>, shared = key): Promise<Page> {
    const page = this.find(key);
    if (page !== undefined) return Promise.resolve(page);
    const running = this.#making.get(shared);
    if (running !== undefined) return running;
    const making = this.#make(key, make, shared);
    this.#making.set(shared, making);
    return making;
  }

  /** Caches the compressed page as long as the page itself. */
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
    // Skip a page that was evicted or replaced meanwhile. Stores a new object, because the cache would not
    // recount the size of the same object.
    if (key !== undefined && this.#pages?.peek(key) === page) this.#pages.set(key, { ...page, zipped });
    return zipped;
  }
}

function sizeOf(page: Page, key: string): number {
  return page.body.length + (page.zipped?.length ?? 0) + 2 * key.length + OVERHEAD_BYTES;
}
