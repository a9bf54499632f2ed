import type { View } from '../layout/view.ts';
import { listOf, mapOf, textOf } from './json-value.ts';
import type { EntryType } from './entry.ts';

const MAX_PAGES = 40;

/** Names of the sources of a registry; none for visitors who may not know them. */
export async function readSourceNames(
  { api }: Pick<View, 'api'>,
  registry: string,
): Promise<readonly string[]> {
  const { status, json } = await api({ path: `/v1/registries/${encodeURIComponent(registry)}` });
  return status === 200 ? listOf(mapOf(json)['sources']).flatMap((name) => textOf(name) ?? []) : [];
}

/** Names of those entries of a registry that come from a source; undefined for visitors who may not know. */
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
  let found: string | undefined;
  await eachEntry(view, registry, (entry) => {
    if (entry.type === type && entry.name === name) found = entry.source;
    return found !== undefined;
  });
  return found;
}

interface PlacedEntry {
  readonly type: string | undefined;
  readonly name: string;
  readonly source: string | undefined;
}

/** Looks at the entries of a registry, as those who manage it see them, until it is told to stop; false where the visitor may not. */
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

/** A source, as those who may know it are told. */
export interface SourceOf {
  readonly name: string;
  readonly kind: string | undefined;
  readonly phase: string | undefined;
  readonly lastGoodTime: string | undefined;
  /** What was read, as its place calls it: the commit of a repository. */
  readonly revision: string | undefined;
  readonly message: string | undefined;
}

/** The source that an entry of a registry comes from; undefined for visitors who may not know. */
export async function readSourceOf(
  view: Pick<View, 'api'>,
  registry: string,
  names: readonly string[],
  { type, name }: { readonly type: EntryType; readonly name: string },
): Promise<SourceOf | undefined> {
  const source = names.length === 1 ? names[0] : await findSource(view, registry, type, name);
  if (source === undefined) return undefined;
  // Of one alone the API finds its warnings again, which takes longer than the list of all.
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
