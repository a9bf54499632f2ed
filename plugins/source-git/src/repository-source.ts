import {
  isPortolanError,
  parseDuration,
  type ReadItem,
  type ReadContext,
  type SkippedEntry,
  type Source,
  type SourceEntry,
} from '@portolan/plugin-api';
import type { ResolvedReference } from './ask-reference.ts';
import type { Blob } from './blob-reader.ts';
import { Clock } from './clock.ts';
import { nobodyIn } from './connection.ts';
import { removeOrphans } from './remove-orphans.ts';
import { pathEmpty, readTooLong, timedOut } from './errors.ts';
import type { RepositoryFile, RepositoryFiles } from './list-files.ts';
import { type RepositoryInput, RepositoryReader } from './repository-reader.ts';
import { showReference } from './reference-selection.ts';
import { readCatalogue } from '@portolan/entry-format';

/**
 * Maximum size in bytes of a file that is held in memory as a whole. No server.json is larger, so larger
 * files can only be catalogues.
 */
const MAX_FILE_BYTES_IN_MEMORY = 4 * 1024 * 1024;

/** Yields the entries of a catalogue, or of a file with a single entry. Throws ERR_CATALOGUE_*. */
async function* readFile(
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

/** Maximum length of a path, which identifies a part of the source. */
const MAX_SCOPE_LENGTH = 500;

/**
 * Source that reads a repository, fetches it when the commit changes, and caches it in the scratch folder.
 */
export class RepositorySource implements Source {
  readonly #input: RepositoryInput;
  /** Commit that `fingerprint` returned, which `readEntries` of the same sync reads. */
  #promised: ResolvedReference | undefined;
  #isAlone = false;

  constructor(input: RepositoryInput) {
    this.#input = input;
  }

  /** Returns the commit. */
  async fingerprint(signal: AbortSignal, context: ReadContext): Promise<string> {
    signal.throwIfAborted();
    this.#promised = undefined;
    this.#promised = await (await this.#reader(signal, context)).find();
    return this.#promised.commit;
  }

  async *readEntries(signal: AbortSignal, context: ReadContext): AsyncGenerator<ReadItem, void> {
    signal.throwIfAborted();
    const promised = this.#promised;
    this.#promised = undefined;
    const reader = await this.#reader(signal, context);
    const reference = promised ?? (await reader.find());
    let hasBegun = false;
    try {
      for await (const item of this.#readFrom(reader, reference, await reader.fetch(reference), signal)) {
        hasBegun = true;
        yield item;
      }
    } catch (error) {
      if (!isPortolanError(error) || error.code !== 'ERR_SOURCE_GIT_CACHE') throw error;
      await reader.forget();
      if (hasBegun) throw error;
      yield* this.#readFrom(reader, reference, await reader.fetch(reference), signal);
    }
  }

  async *#readFrom(
    reader: RepositoryReader,
    { commit }: ResolvedReference,
    files: RepositoryFiles,
    signal: AbortSignal,
  ): AsyncGenerator<ReadItem, void> {
    if (files.files.length === 0 && files.refused.length === 0)
      throw pathEmpty(this.#input.config.path, showReference(this.#input.reference));
    yield { revision: commit };
    if (files.kind === 'many') yield* readEach(reader, files, signal);
    else for (const file of files.files) yield* readAlone(reader, file, signal);
  }

  async #reader(signal: AbortSignal, { scratch }: ReadContext): Promise<RepositoryReader> {
    const maxMs = parseDuration(this.#input.config.timeout);
    const folder = await scratch.open();
    // Only this source uses the folder now, so any other process in it was left over by an earlier server.
    if (!this.#isAlone) await removeOrphans(nobodyIn(folder));
    this.#isAlone = true;
    return new RepositoryReader({
      ...this.#input,
      scratch: folder,
      maxBytes: scratch.maxBytes,
      clock: new Clock(maxMs, timedOut),
      localClock: new Clock(maxMs, readTooLong),
      signal,
    });
  }
}

/** Reads all files. Reports and skips an invalid file, whose earlier entries stay. */
async function* readEach(
  reader: RepositoryReader,
  { files, refused }: RepositoryFiles,
  signal: AbortSignal,
): AsyncGenerator<ReadItem, void> {
  for (const { path, because } of refused) yield { skipped: path, because };
  for (const { path } of files.filter((file) => !canBeScope(file))) {
    yield {
      skipped: `${path.slice(0, MAX_SCOPE_LENGTH)}…`,
      because: `Its path is longer than ${MAX_SCOPE_LENGTH} characters.`,
    };
  }
  const all = files.filter(canBeScope);
  const complete: string[] = [];
  const blobs = reader.openFiles(all);
  try {
    for (const file of all) {
      const { path } = file;
      try {
        for await (const item of readWhole(reader, await blobs.open(), file, signal)) {
          if ('skipped' in item) yield { ...item, skipped: `${path}: ${item.skipped}`, scope: path };
          else
            yield {
              ...item,
              place: item.place === undefined ? path : `${path}: ${item.place}`,
              scope: path,
            };
        }
        complete.push(path);
      } catch (error) {
        if (!isPortolanError(error) || !error.code.startsWith('ERR_CATALOGUE_')) throw error;
        yield { skipped: path, because: error.message, scope: path };
      }
    }
  } finally {
    await blobs.close();
  }
  yield { completeScopes: complete, allScopes: all.map(({ path }) => path) };
}

function canBeScope({ path }: RepositoryFile): boolean {
  return path.length <= MAX_SCOPE_LENGTH;
}

/**
 * Reads one file completely or not at all. A large file is read twice, so that its entries need no memory.
 */
async function* readWhole(
  reader: RepositoryReader,
  blob: Blob,
  file: RepositoryFile,
  signal: AbortSignal,
): AsyncGenerator<SourceEntry | SkippedEntry, void> {
  const isHeld = blob.size <= MAX_FILE_BYTES_IN_MEMORY;
  const remaining: (SourceEntry | SkippedEntry)[] = [];
  for await (const item of readFile(blob, signal)) if (isHeld) remaining.push(item);
  if (isHeld) yield* remaining;
  else yield* readAlone(reader, file, signal);
}

async function* readAlone(
  reader: RepositoryReader,
  file: RepositoryFile,
  signal: AbortSignal,
): AsyncGenerator<SourceEntry | SkippedEntry, void> {
  const blobs = reader.openFiles([file]);
  try {
    yield* readFile(await blobs.open(), signal);
  } finally {
    await blobs.close();
  }
}
