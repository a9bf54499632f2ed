import { setImmediate } from 'node:timers/promises';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { byteSlices } from './byte-slices.ts';
import { CatalogueLayout } from './catalogue-layout.ts';
import { JsonScanner } from './json-scanner.ts';
import { LIMITS } from './scan-limits.ts';

const BYTES_BETWEEN_PAUSES = 64 * 1024;

/**
 * Yields the entries of a catalogue one by one, with their place (`data.servers[3]`, `servers.fetch`), in two
 * formats:
 *
 * - upstream: the lists `data.servers`, `data.skills` and `data.plugins`;
 * - legacy: the maps `servers` and `remote_servers`. Each entry becomes a server document named
 *   `io.github.stacklok/<key>`, version `1.0.0`; `groups` are left out.
 *
 * Entries are not validated, and names may repeat. Needs memory for one entry, and lets other work run
 * between pieces of 64 KiB. An entry over 4 MiB, nested deeper than 64 levels, or not UTF-8 is yielded as
 * skipped.
 *
 * Throws, possibly after some entries, ERR_CATALOGUE_FORMAT (also for a `version` that is not three numbers
 * with dots), ERR_CATALOGUE_NOT_JSON with line, column and byte, and the reason of the signal, after which
 * the caller ends the chunks.
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

export function isSkippedEntry(item: SourceEntry | SkippedEntry): item is SkippedEntry {
  return 'skipped' in item;
}
