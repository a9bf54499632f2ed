import { type JsonMap, listOf, mapOf, textOf, textsOf } from './json-value.ts';

export const ENTRY_TYPES = ['server', 'skill', 'plugin'] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

export const TYPE_WORDS: Readonly<
  Record<EntryType, { readonly path: string; readonly many: string; readonly one: string }>
> = {
  server: { path: 'servers', many: 'Servers', one: 'Server' },
  skill: { path: 'skills', many: 'Skills', one: 'Skill' },
  plugin: { path: 'plugins', many: 'Plugins', one: 'Plugin' },
};

export function typeOfPath(path: string | undefined): EntryType | undefined {
  return ENTRY_TYPES.find((type) => TYPE_WORDS[type].path === path);
}

/** Version of an entry from the API, with the properties that pages show. */
export interface Entry {
  readonly type: EntryType;
  /** Full name: `com.acme/notes`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly status: string;
  readonly statusMessage: string | undefined;
  readonly publishedAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly tags: readonly string[];
  readonly tier: string | undefined;
  /** Transports (`stdio`, `streamable-http`, `sse`), each at most once. */
  readonly transports: readonly string[];
  /** Ways to run the server, such as `remote`, `npm` or `oci`, each at most once. */
  readonly ways: readonly string[];
  readonly document: JsonMap;
  /** Merged publisher-provided metadata. */
  readonly extension: JsonMap;
  readonly official: JsonMap;
  /** Registries that the entry came through, origin first. */
  readonly path: readonly string[];
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';
const VENDOR = 'io.github.stacklok';

export function entryOf(type: EntryType, item: unknown): Entry {
  // Some lists of skills and plugins contain the documents directly as their items.
  const { [type]: document = item, _meta: meta } = mapOf(item);
  const input = mapOf(document);
  const official = mapOf(mapOf(meta)[OFFICIAL]);
  const extension = extensionOf(input);
  const name = nameOf(type, input);
  const { origin, via } = mapOf(mapOf(meta)['portolan.dev']);
  const packages = listOf(input['packages']).map(mapOf);
  const remotes = listOf(input['remotes']).map(mapOf);
  const transports = [...remotes, ...packages.map((one) => mapOf(one['transport']))].flatMap(
    (one) => textOf(one['type']) ?? [],
  );
  return {
    type,
    name,
    title: textOf(input['title']) ?? name.slice(name.lastIndexOf('/') + 1),
    description: textOf(input['description']) ?? '',
    version: textOf(input['version']) ?? '',
    status: (textOf(official['status']) ?? textOf(input['status']) ?? 'active').toLowerCase(),
    statusMessage: textOf(official['statusMessage']),
    publishedAt: textOf(official['publishedAt']),
    updatedAt: textOf(official['updatedAt']),
    tags: unique([...textsOf(extension['tags']), ...textsOf(input['keywords'])]),
    tier: textOf(extension['tier']),
    transports: unique(transports),
    ways: unique([
      ...(remotes.length > 0 ? ['remote'] : []),
      ...packages.flatMap((one) => textOf(one['registryType']) ?? []),
    ]),
    document: input,
    extension,
    official,
    path: textsOf([origin, ...listOf(via)]),
  };
}

function nameOf(type: EntryType, document: JsonMap): string {
  const name = textOf(document['name']) ?? '';
  const namespace = textOf(document['namespace']);
  return type === 'server' || namespace === undefined ? name : `${namespace}/${name}`;
}

/** Merges the publisher's metadata of all packages and remotes. The first value wins; lists are joined. */
function extensionOf(document: JsonMap): JsonMap {
  const places = Object.values(mapOf(mapOf(mapOf(document['_meta'])[PROVIDED])[VENDOR])).map(mapOf);
  const keys = unique(places.flatMap((place) => Object.keys(place)));
  return Object.fromEntries(
    keys.map((key) => {
      const values = places.flatMap((place) => (Object.hasOwn(place, key) ? [place[key]] : []));
      return [key, values.every(Array.isArray) ? unique(values.flat()) : values[0]];
    }),
  );
}

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}
