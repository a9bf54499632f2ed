import { readCatalogue } from '@portolan/entry-format';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import type { Blob } from './blob-reader.ts';

/**
 * Maximum size in bytes of a file that is held in memory as a whole. No server.json is larger, so larger
 * files can only be catalogues.
 */
export const MAX_FILE_BYTES_IN_MEMORY = 4 * 1024 * 1024;

/** Yields the entries of a catalogue, or of a file with a single entry. Throws ERR_CATALOGUE_*. */
export async function* readFile(
  { size, chunks }: Blob,
  signal: AbortSignal,
): AsyncGenerator<SourceEntry | SkippedEntry, void> {
  if (size > MAX_FILE_BYTES_IN_MEMORY) {
    yield* readCatalogue(chunks, { signal });
    return;
  }
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  const text = Buffer.concat(pieces);
  const document = findServer(text);
  if (document === undefined) yield* readCatalogue(once(text), { signal });
  else yield { type: 'server', document };
}

/** Returns the server document of a file; undefined unless the file is a server.json. */
function findServer(text: Buffer): unknown {
  const document = parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const isCatalogue = ['data', 'servers', 'remote_servers'].some((key) => Object.hasOwn(document, key));
  return !isCatalogue && 'name' in document ? document : undefined;
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text));
  } catch {
    return undefined; // the catalogue reader reports the fault and its place
  }
}

async function* once(text: Buffer): AsyncGenerator<Buffer, void> {
  yield text;
}
