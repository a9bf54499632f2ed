import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';

const compress = promisify(gzip);

/** What an entry takes beside its bytes: key, tag, bookkeeping. */
const OVERHEAD_BYTES = 600;

/** One answer, ready to be sent. */
export interface Page {
  /** Entity tag of everything that the response depends on; empty when that is unknown. */
  readonly etag: string;
  /** Entity tag of the entries that one view shows; undefined for callers who see everything. */
  readonly viewTag: string | undefined;
  readonly body: Buffer;
  /** Made when the first client that accepts it asks. */
  readonly zipped: Buffer | undefined;
}

/**
 * Answers by key, at most `maxBytes` of them; the least recently used leave
 * first. Who asks for a missing page while it is being made waits for the same
 * work. A failure is told to all who wait, and not kept.
 */
export class PageCache {
  readonly #pages: LRUCache<string, Page> | undefined;
  readonly #making = new Map<string, Promise<Page>>();
  readonly #zipping = new WeakMap<Page, Promise<Buffer>>();

  constructor(maxBytes: number) {
    this.#pages = maxBytes > 0 ? new LRUCache({ maxSize: maxBytes, sizeCalculation: sizeOf }) : undefined;
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#pages?.calculatedSize ?? 0;
  }

  find(key: string): Page | undefined {
    return this.#pages?.get(key);
  }

  /** The page of this key, made now if need be, once for all who ask with the same `shared`. */
  load(key: string, make: () => Promise<Page>, shared = key): Promise<Page> {
    const found = this.find(key);
    if (found !== undefined) return Promise.resolve(found);
    const running = this.#making.get(shared);
    if (running !== undefined) return running;
    const making = this.#make(key, make, shared);
    this.#making.set(shared, making);
    return making;
  }

  /** The page compressed; kept beside it as long as the page of this key is. */
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
    // A new page, because the size of the same one would not be counted again.
    if (key !== undefined && this.#pages?.peek(key) === page) this.#pages.set(key, { ...page, zipped });
    return zipped;
  }
}

function sizeOf(page: Page, key: string): number {
  return page.body.length + (page.zipped?.length ?? 0) + 2 * key.length + OVERHEAD_BYTES;
}
