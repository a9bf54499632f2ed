import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MAKERS, NOUNS, PLACES, SETTINGS, SUFFIXES, TAGS, TOPICS, VERBS } from './words.ts';

/** Word in exactly twenty entries of a catalogue. */
export const RARE_WORD = 'quokkafern';
/** Word in exactly every second entry of a catalogue. */
export const COMMON_WORD = 'workspace';
/** Further searches: shorter than a trigram, mixed case, and SQL wildcards. */
export const OTHER_SEARCHES = ['zq', 'Chess Queue', '_', '%'] as const;

const RARE_ENTRIES = 20;
/** About one name in ten has a second version. */
export const SECOND_VERSION_EVERY = 10;

export interface EntryKey {
  readonly name: string;
  readonly version: string;
}

/** Known facts of a catalogue, for checks of responses. */
export interface CatalogueFacts {
  readonly file: string;
  readonly count: number;
  /** All versions in list order: by name, then version, both by bytes. */
  readonly keys: readonly (EntryKey & { readonly index: number })[];
  /** Latest versions by name. */
  readonly latest: readonly EntryKey[];
  /** Number of entries that contain a text, compared in lower case. */
  readonly holding: ReadonlyMap<string, number>;
  readonly bytesPerEntry: number;
}

export interface ServerDocument extends EntryKey {
  readonly title: string;
  readonly description: string;
  readonly [member: string]: unknown;
}

/** Writes a deterministic catalogue of `count` entries (a multiple of 200) in the upstream format. */
export async function writeCatalogue(file: string, count: number): Promise<CatalogueFacts> {
  if (count % 200 !== 0)
    throw new RangeError(`a catalogue has a multiple of 200 entries; asked for ${count}`);
  const searches = [RARE_WORD, COMMON_WORD, ...OTHER_SEARCHES];
  const holding = new Map<string, number>(searches.map((search) => [search, 0]));
  const keys: (EntryKey & { readonly index: number })[] = [];
  let bytes = 0;
  function* text(): Generator<string> {
    yield '{"version":"1.0.0","meta":{"last_updated":"2026-01-15T08:00:00Z"},"data":{"servers":[';
    for (let index = 0; index < count; index += 1) {
      const document = documentAt(index, count);
      const { name, version, title, description } = document;
      keys.push({ name, version, index });
      for (const search of searches) {
        const held = [name, title, description].some((part) =>
          part.toLowerCase().includes(search.toLowerCase()),
        );
        if (held) holding.set(search, (holding.get(search) ?? 0) + 1);
      }
      const json = JSON.stringify(document);
      bytes += json.length;
      yield `${index === 0 ? '' : ','}\n${json}`;
    }
    yield '\n]}}\n';
  }
  await pipeline(Readable.from(inChunks(text())), createWriteStream(file));
  keys.sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  // Second versions are the higher ones, also in string order.
  const latest = keys.filter(({ name }, at) => keys[at + 1]?.name !== name);
  return { file, count, keys, latest, holding, bytesPerEntry: Math.round(bytes / count) };
}

/** Returns the document at an index of a catalogue of this size. */
export function documentAt(index: number, count: number): ServerDocument {
  const isSecond = index % SECOND_VERSION_EVERY === SECOND_VERSION_EVERY - 1;
  const random = randomFrom(isSecond ? index - 1 : index);
  // SAFETY: the index is below its length
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const topic = pick(TOPICS);
  const noun = pick(NOUNS);
  const maker = `${pick(MAKERS)}${pick(SUFFIXES)}${Math.floor(random() * 90)}`;
  const serial = (isSecond ? index - 1 : index).toString(36);
  const namespace = pick([`io.github.${maker}`, `com.${maker}`, `dev.${maker}`, `ai.${maker}.mcp`]);
  const slug = `${topic}${index % 100 === 20 ? '_' : '-'}${noun}-${serial}`;
  const patch = `${Math.floor(random() * 10)}.${Math.floor(random() * 40)}`;
  const version = isSecond ? `2.${patch}` : `1.${patch}`;
  const words = [
    isRare(index, count) ? ` with ${RARE_WORD}` : '',
    index % 2 === 0 ? ` in your ${COMMON_WORD}` : '',
    index % 500 === 51 ? ', 100% of it' : '',
  ];
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: `${namespace}/${slug}`,
    title: `${capital(topic)} ${capital(noun)} ${serial.toUpperCase()}`,
    description: `${pick(VERBS)} ${topic} ${noun} ${pick(PLACES)}${words.join('')}.`,
    version,
    repository: {
      url: `https://github.com/${maker}/${slug}`,
      source: 'github',
      id: String(100_000_000 + index),
    },
    websiteUrl: `https://${maker}.example/${topic}/${noun}`,
    packages: packagesOf(slug, maker, version, random),
    ...(random() < 0.4 ? { remotes: remotesOf(slug, maker) } : {}),
    _meta: {
      'io.modelcontextprotocol.registry/publisher-provided': {
        tags: [...new Set([pick(TAGS), pick(TAGS)])],
        maintainers: [{ name: capital(maker), email: `${noun}@${maker}.example` }],
        tools: Array.from({ length: 2 + Math.floor(random() * 4) }, () => `${pick(NOUNS)}_${pick(TOPICS)}`),
      },
    },
  };
}

function packagesOf(slug: string, maker: string, version: string, random: () => number): readonly object[] {
  const environmentVariables = SETTINGS.filter(() => random() < 0.3);
  const npm = {
    registryType: 'npm',
    identifier: `@${maker}/${slug}`,
    version,
    runtimeHint: 'npx',
    transport: { type: 'stdio' },
    packageArguments: [
      { type: 'named', name: '--profile', value: 'default', description: 'Which account is used.' },
    ],
    environmentVariables,
  };
  const oci = {
    registryType: 'oci',
    identifier: `ghcr.io/${maker}/${slug}:${version}`,
    transport: { type: 'streamable-http', url: 'http://localhost:{port}/mcp' },
    environmentVariables: environmentVariables.slice(0, 1),
  };
  const share = random();
  if (share < 0.4) return [npm];
  return share < 0.7 ? [oci] : [npm, oci];
}

function remotesOf(slug: string, maker: string): readonly object[] {
  const authorization = {
    name: 'Authorization',
    description: 'Bearer token.',
    isRequired: true,
    isSecret: true,
  };
  return [{ type: 'streamable-http', url: `https://${slug}.${maker}.example/mcp`, headers: [authorization] }];
}

/** Returns whether an entry has the rare word. They are spread out, and have only one version. */
function isRare(index: number, count: number): boolean {
  return index % (count / RARE_ENTRIES) === 3;
}

/** Returns a deterministic generator of numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Joins pieces into fewer, larger ones, because a stream costs per chunk. */
function* inChunks(pieces: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Compares strings by bytes, the order of lists. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
