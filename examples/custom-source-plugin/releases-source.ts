import { createHash } from 'node:crypto';
import { readdir, readFile, watch } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type {
  ChangeItem,
  ConfigBlock,
  ConfigOf,
  Plugin,
  ReadItem,
  Source,
  SourceKind,
} from '@portolan/plugin-api';
import { PortolanError } from '@portolan/plugin-api';

const SERVER_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

const releasesConfig = {
  type: 'object',
  description: 'One server version for each release note in a folder.',
  required: ['folder', 'namespace'],
  properties: {
    folder: { type: 'string', format: 'path', description: 'Folder with one JSON file for each release.' },
    namespace: {
      type: 'string',
      minLength: 3,
      description: 'What names begin with.',
      examples: ['dev.acme'],
    },
  },
} as const satisfies ConfigBlock;

/** Maximum length of a cursor that the registry stores. */
const MAX_CURSOR = 65_536;

/**
 * Reads the notes of a release pipeline: product, version, summary and image.
 *
 * Each file is a scope. A note that is incomplete while the pipeline writes it therefore keeps its previous
 * entries, and only changed files are reported.
 */
class ReleasesSource implements Source {
  readonly #folder: string;
  readonly #namespace: string;

  constructor({ folder, namespace }: ConfigOf<typeof releasesConfig>, directory: string) {
    this.#folder = resolve(directory, folder);
    this.#namespace = namespace;
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<ReadItem> {
    yield* this.#read({}, signal);
  }

  /** Yields the changed files and the list of all files. The cursor holds the hash of every file. */
  async *readChanges(since: string, signal: AbortSignal): AsyncGenerator<ChangeItem> {
    const known = parseObject(since);
    if (known === undefined) yield { startOver: 'The cursor is none of this source.' };
    else yield* this.#read(known, signal);
  }

  async *#read(known: Readonly<Record<string, unknown>>, signal: AbortSignal): AsyncGenerator<ReadItem> {
    const hashes: Record<string, string> = {};
    for await (const { file, text } of this.#notes(signal)) {
      const hash = hashOf(text);
      hashes[file] = hash;
      if (known[file] === hash) continue;
      const note = parseObject(text);
      yield this.#entryOf(file, note ?? {});
      // Invalid JSON may be an incomplete write, so the scope stays incomplete.
      if (note !== undefined) yield { completeScopes: [file] };
    }
    yield { completeScopes: [], allScopes: Object.keys(hashes) };
    const cursor = JSON.stringify(hashes);
    // Without a cursor, each sync reads everything.
    if (cursor.length <= MAX_CURSOR) yield { cursor };
  }

  #entryOf(scope: string, { product, version, summary, image }: Readonly<Record<string, unknown>>): ReadItem {
    if (typeof product !== 'string' || typeof image !== 'string') {
      return { skipped: scope, because: 'The note is no JSON object with product and image.', scope };
    }
    const name = `${this.#namespace}/${product}`;
    const packages = [{ registryType: 'oci', identifier: image, transport: { type: 'stdio' } }];
    // The registry validates the document and reports problems.
    const document = { $schema: SERVER_SCHEMA, name, description: summary, version, packages };
    return { type: 'server', document, place: scope, scope };
  }

  async fingerprint(signal: AbortSignal): Promise<string> {
    const hash = createHash('sha256');
    for await (const { file, text } of this.#notes(signal)) hash.update(JSON.stringify([file, text]));
    return hash.digest('hex');
  }

  async *watch(signal: AbortSignal): AsyncGenerator<void> {
    for await (const _ of watch(this.#folder, { signal })) yield;
  }

  async *#notes(signal: AbortSignal): AsyncGenerator<{ file: string; text: string }> {
    signal.throwIfAborted();
    const files = await readdir(this.#folder).catch((cause: unknown) => {
      throw new PortolanError(
        'ERR_RELEASES_FOLDER',
        'fault',
        'The folder with the release notes cannot be read.',
        {
          hint: 'Check `folder`; a relative path starts at the folder of the configuration file.',
          cause,
        },
      );
    });
    for (const file of files.filter((name) => name.endsWith('.json')).toSorted()) {
      yield { file, text: await readFile(join(this.#folder, file), { encoding: 'utf8', signal }) };
    }
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** Parses a JSON object; undefined for invalid JSON. */
function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const releasesSource: SourceKind<typeof releasesConfig> = {
  kind: 'releases',
  config: releasesConfig,
  claimsFrom: 'source',
  create: (config, context) => new ReleasesSource(config, context.directory),
};

export default {
  name: 'releases-source',
  apiVersion: 2,
  contributes: { sources: [releasesSource] },
} satisfies Plugin;
