import { readCatalogue } from '@portolan/entry-format';
import type { SkippedEntry, Source, SourceEntry } from '@portolan/plugin-api';
import { urlChanged } from './errors.ts';
import { fetchCatalogue, type Validators } from './fetch-catalogue.ts';
import type { CatalogueUrl } from './parse-catalogue-url.ts';
import { type Spool, spoolBody } from './spool.ts';

/** Maximum size of a document in bytes, after decompression. */
const MAX_BYTES = 536_870_912;

export interface UrlSourceOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly timeoutMs: number;
  /** Maximum size of a document in bytes; undefined: 512 MiB. */
  readonly maxBytes?: number;
  readonly closeFetch?: () => Promise<void>;
}

/**
 * Source that downloads a catalogue. `fingerprint` sends a conditional request and keeps the document, so
 * that `readEntries` of the same sync reads the same bytes without another request.
 */
export class UrlSource implements Source {
  readonly #target: CatalogueUrl;
  readonly #options: UrlSourceOptions;
  /** Validators and hash of the last complete download. */
  #known: { readonly hash: string; readonly validators: Validators } | undefined;
  /** Document that `fingerprint` downloaded and that was not read yet. */
  #spool: Spool | undefined;
  /** Hash that `fingerprint` returned. The next `readEntries` must read the same bytes. */
  #promised: string | undefined;
  /** Hash of the document that was last read completely. */
  #read: string | undefined;

  constructor(target: CatalogueUrl, options: UrlSourceOptions) {
    this.#target = target;
    this.#options = options;
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
    signal.throwIfAborted();
    const promised = this.#promised;
    const stored = this.#spool;
    this.#promised = undefined;
    this.#spool = undefined;
    const spool = stored ?? (await this.#download(signal));
    try {
      if (promised !== undefined && spool.hash !== promised) throw urlChanged();
      yield* readCatalogue(spool.read(signal), { signal });
      this.#read = spool.hash;
    } finally {
      await spool.close();
    }
  }

  /**
   * Returns the SHA-256 of the document, in hexadecimal, also when the server only confirmed that the
   * document is unchanged.
   */
  async fingerprint(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    await this.#forget();
    const spool = await this.#downloadIfChanged(signal);
    if (spool !== undefined && spool.hash !== this.#read) {
      this.#spool = spool;
    } else {
      // A document is rarely read again, so no file is kept open for it.
      await spool?.close();
    }
    const hash = spool?.hash ?? this.#known?.hash;
    if (hash === undefined) throw new Error('the server responded with 304 although no document is cached');
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
    if (spool === undefined) throw new Error('the server responded with 304 to a request without conditions');
    return spool;
  }

  /** Downloads the document. Undefined when the known document is current. */
  async #downloadIfChanged(signal: AbortSignal): Promise<Spool | undefined> {
    const { fetch, timeoutMs, maxBytes = MAX_BYTES } = this.#options;
    return fetchCatalogue(this.#target, {
      fetch,
      timeoutMs,
      signal,
      validators: this.#known?.validators,
      accept: async ({ body, validators }) => {
        const spool = await spoolBody(body, maxBytes);
        this.#known = { hash: spool.hash, validators };
        return spool;
      },
    });
  }
}
