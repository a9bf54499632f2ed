import { setImmediate } from 'node:timers/promises';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { byteSlices } from './byte-slices.ts';
import { CatalogueLayout } from './catalogue-layout.ts';
import { JsonScanner } from './json-scanner.ts';
import { LIMITS } from './scan-limits.ts';

const BYTES_BETWEEN_PAUSES = 64 * 1024;

/**
 * Reads a catalogue and yields its entries one by one, as they stand in it,
 * with their place (`data.servers[3]`, `servers.fetch`). Both formats are read:
 *
 * - upstream: `data.servers`, `data.skills` and `data.plugins`, each a list;
 * - legacy: the maps `servers` and `remote_servers`, and no `data` object. Each
 *   is converted to a server document named `io.github.stacklok/<key>`, version
 *   `1.0.0`; `groups` are left out.
 *
 * Entries are not validated, and names may repeat. Needs memory for one entry,
 * not for the document, and lets other work run between pieces of 64 KiB. An
 * entry over 4 MiB, or nested deeper than 64 levels, or with bytes that are not
 * UTF-8, is yielded as skipped, with the reason.
 *
 * Throws, possibly after some entries, ERR_CATALOGUE_FORMAT,
 * ERR_CATALOGUE_NOT_JSON (with line, column and byte), ERR_CATALOGUE_FORMAT
 * (JSON, but not a catalogue) or ERR_CATALOGUE_FORMAT (`version` is given and
 * is not three numbers with dots). Throws the signal's reason after it aborts;
 * whoever opened the chunks has to end them then.
 */
export async function* readCatalogue(
  chunks: AsyncIterable<Uint8Array | string>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<SourceEntry | SkippedEntry> {
  const layout = new CatalogueLayout(LIMITS);
  const scanner = new JsonScanner(layout, LIMITS);
  let sincePause = 0;
  options.signal?.throwIfAborted();
  for await (const slice of byteSlices(chunks)) {
    options.signal?.throwIfAborted();
    scanner.write(slice);
    yield* layout.drain();
    sincePause += slice.length;
    if (sincePause >= BYTES_BETWEEN_PAUSES) {
      sincePause = 0;
      await setImmediate();
    }
  }
  options.signal?.throwIfAborted();
  scanner.end();
  layout.end();
}

/** Returns whether an item of a source is a skipped entry. */
export function isSkippedEntry(item: SourceEntry | SkippedEntry): item is SkippedEntry {
  return 'skipped' in item;
}
