import type { View } from '../layout/view.ts';
import { listOf, mapOf, textOf } from './json-value.ts';
import type { EntryType } from './entry.ts';

const MAX_PAGES = 40;

/** Returns the source names of a registry; none for visitors who may not see them. */
export async function readSourceNames(
  { api }: Pick<View, 'api'>,
  registry: string,
): Promise<readonly string[]> {
  const { status, json } = await api({ path: `/v1/registries/${encodeURIComponent(registry)}` });
  return status === 200 ? listOf(mapOf(json)['sources']).flatMap((name) => textOf(name) ?? []) : [];
}

/**
 * Returns the names of a registry's entries from one source; undefined for visitors who may not see the
 * source.
 */
export async function readNamesFrom(
  view: Pick<View, 'api'>,
  registry: string,
  type: EntryType,
  source: string,
): Promise<ReadonlySet<string> | undefined> {
  const names = new Set<string>();
  const isKnown = await eachEntry(view, registry, (entry) => {
    if (entry.type === type && entry.source === source) names.add(entry.name);
    return false;
  });
  return isKnown ? names : undefined;
}

async function findSource(
  view: Pick<View, 'api'>,
  registry: string,
  type: EntryType,
  name: string,
): Promise<string | undefined> {
  let source: string | undefined;
  await eachEntry(view, registry, (entry) => {
    if (entry.type === type && entry.name === name) source = entry.source;
    return source !== undefined;
  });
  return source;
}

interface PlacedEntry {
  readonly type: string | undefined;
  readonly name: string;
  readonly source: string | undefined;
}

/** Calls `look` with each entry until it returns true. Returns false if the visitor may not list entries. */
async function eachEntry(
  { api }: Pick<View, 'api'>,
  registry: string,
  look: (entry: PlacedEntry) => boolean,
): Promise<boolean> {
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { status, json } = await api({
      path: `/v1/registries/${encodeURIComponent(registry)}/entries`,
      query: cursor === undefined ? {} : { cursor },
    });
    if (status !== 200) return false;
    const { entries, metadata } = mapOf(json);
    for (const entry of listOf(entries).map(mapOf)) {
      const [type, name, source] = [entry['entryType'], entry['name'], entry['sourceName']].map(textOf);
      if (name !== undefined && look({ type: type?.toLowerCase(), name, source })) return true;
    }
    cursor = textOf(mapOf(metadata)['nextCursor']);
    if (cursor === undefined) return true;
  }
  return true;
}

/** Source of an entry, for visitors who may see it. */
export interface SourceOf {
  readonly name: string;
  readonly kind: string | undefined;
  readonly phase: string | undefined;
  readonly lastGoodTime: string | undefined;
  /** Revision of the source that was read, such as a commit. */
  readonly revision: string | undefined;
  readonly message: string | undefined;
}

/** Returns the source of an entry; undefined for visitors who may not see it. */
export async function readSourceOf(
  view: Pick<View, 'api'>,
  registry: string,
  names: readonly string[],
  { type, name }: { readonly type: EntryType; readonly name: string },
): Promise<SourceOf | undefined> {
  const source = names.length === 1 ? names[0] : await findSource(view, registry, type, name);
  if (source === undefined) return undefined;
  // Requests all sources: this list is cheaper than a single source, for which the API computes the warnings
  // again.
  const { json } = await view.api({ path: '/v1/sources' });
  const known = listOf(mapOf(json)['sources']).map(mapOf);
  const { type: kind, syncStatus } = known.find(({ name: one }) => one === source) ?? {};
  const { phase, lastGoodTime, revision, message } = mapOf(syncStatus);
  return {
    name: source,
    kind: textOf(kind),
    phase: textOf(phase),
    lastGoodTime: textOf(lastGoodTime),
    revision: textOf(revision),
    message: textOf(message),
  };
}
