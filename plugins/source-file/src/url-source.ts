import { readCatalogue } from '@portolan/entry-format';
import type { SkippedEntry, Source, SourceEntry } from '@portolan/plugin-api';
import { urlChanged } from './errors.ts';
import { fetchCatalogue, type Validators } from './fetch-catalogue.ts';
import type { CatalogueUrl } from './parse-catalogue-url.ts';
import { type Spool, spoolBody } from './spool.ts';

/** Most bytes of a document, after decompression. */
const MAX_BYTES = 536_870_912;

export interface UrlSourceOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  /** Most bytes of a document; left out: 512 MiB. */
  readonly mostBytes?: number;
  /** Closes the connections of `fetch`. */
  readonly closeFetch?: () => Promise<void>;
}

/**
 * A catalogue behind a URL. `fingerprint` asks conditionally and keeps what it
 * got, so that the `readEntries` of the same sync reads those very bytes and
 * sends no request of its own.
 */
export class UrlSource implements Source {
  readonly #target: CatalogueUrl;
  readonly #options: UrlSourceOptions;
  /** What the server said about the last complete download, and its hash. */
  #known: { readonly hash: string; readonly validators: Validators } | undefined;
  /** Downloaded by `fingerprint`, not read yet. */
  #spool: Spool | undefined;
  /** What `fingerprint` answered and `readEntries` has still to keep to. */
  #promised: string | undefined;
  /** Hash of what was last read to its end. */
  #read: string | undefined;

  constructor(target: CatalogueUrl, options: UrlSourceOptions) {
    this.#target = target;
    this.#options = options;
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
    signal.throwIfAborted();
    const promised = this.#promised;
    const kept = this.#spool;
    this.#promised = undefined;
    this.#spool = undefined;
    const spool = kept ?? (await this.#download(signal));
    try {
      if (promised !== undefined && spool.hash !== promised) throw urlChanged();
      yield* readCatalogue(spool.read(signal), { signal });
      this.#read = spool.hash;
    } finally {
      await spool.close();
    }
  }

  /** SHA-256 of the document, in hexadecimal; also when the server only said that nothing changed. */
  async fingerprint(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    await this.#forget();
    const spool = await this.#downloadIfChanged(signal);
    if (spool !== undefined && spool.hash !== this.#read) {
      this.#spool = spool;
    } else {
      // What has been read already is hardly asked for again: no file is kept open for it.
      await spool?.close();
    }
    const hash = spool?.hash ?? this.#known?.hash;
    if (hash === undefined) throw new Error('nothing is known although the server confirmed it');
    this.#promised = hash;
    return hash;
  }

  async close(): Promise<void> {
    await this.#forget();
    await this.#options.closeFetch?.();
  }

  async #forget(): Promise<void> {
    const spool = this.#spool;
    this.#spool = undefined;
    this.#promised = undefined;
    await spool?.close();
  }

  async #download(signal: AbortSignal): Promise<Spool> {
    this.#known = undefined;
    const spool = await this.#downloadIfChanged(signal);
    if (spool === undefined) throw new Error('an unconditional request was answered as a conditional one');
    return spool;
  }

  /** Undefined when the server confirmed that what is known is current. */
  async #downloadIfChanged(signal: AbortSignal): Promise<Spool | undefined> {
    const { fetch, timeoutMs, mostBytes = MAX_BYTES } = this.#options;
    return fetchCatalogue(this.#target, {
      fetch,
      timeoutMs,
      signal,
      validators: this.#known?.validators,
      accept: async ({ body, validators }) => {
        const spool = await spoolBody(body, mostBytes);
        this.#known = { hash: spool.hash, validators };
        return spool;
      },
    });
  }
}
