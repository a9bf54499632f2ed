import { createHash } from 'node:crypto';
import { readCatalogue } from '@portolan/entry-format';
import type { SkippedEntry, Source, SourceEntry } from '@portolan/plugin-api';

/** Source whose catalogue is in the configuration. Its content never changes while the process runs. */
export class DataSource implements Source {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
    signal.throwIfAborted();
    yield* readCatalogue(onceText(this.#text), { signal });
  }

  /** Returns the SHA-256 of the text in UTF-8, in hexadecimal. */
  async fingerprint(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    return createHash('sha256').update(this.#text).digest('hex');
  }
}

async function* onceText(text: string): AsyncGenerator<string, void> {
  yield text;
}
