import { createHash } from 'node:crypto';
import { readdir, readFile, watch } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type {
  ConfigBlock,
  ConfigOf,
  Plugin,
  SkippedEntry,
  Source,
  SourceEntry,
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

/** Reads the notes that a release pipeline leaves behind: product, version, summary and image. */
class ReleasesSource implements Source {
  readonly #folder: string;
  readonly #namespace: string;

  constructor({ folder, namespace }: ConfigOf<typeof releasesConfig>, directory: string) {
    this.#folder = resolve(directory, folder);
    this.#namespace = namespace;
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry> {
    for await (const { file, text } of this.#notes(signal)) {
      const { product, version, summary, image } = parseObject(text);
      if (typeof product !== 'string' || typeof image !== 'string') {
        yield { skipped: file, because: 'The note is no JSON object with product and image.' };
        continue;
      }
      const name = `${this.#namespace}/${product}`;
      const packages = [{ registryType: 'oci', identifier: image, transport: { type: 'stdio' } }];
      // Whether that is a valid server is for the registry to find out, and to report.
      const document = { $schema: SERVER_SCHEMA, name, description: summary, version, packages };
      yield { type: 'server', document, place: file };
    }
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

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {}; // without product and image it is skipped, and the status of the source says so
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
  apiVersion: 1,
  contributes: { sources: [releasesSource] },
} satisfies Plugin;
