import type { EntryIndexes } from '../responses/entry-index.ts';
import { ENTRY_TYPES, TYPE_WORDS } from '../responses/entry.ts';
import type { RegistryLink } from '../responses/read-registries.ts';
import type { View } from '../layout/view.ts';
import { countOf, PATIENCE_MS } from './find-listing.ts';

/**
 * Entry counts as text, by registry. Undefined while counting is in progress; absent if nothing counts the
 * registry.
 */
export type RegistryCounts = ReadonlyMap<string, string | undefined>;

/** Maximum number of registries that are counted. Each costs one API request, or three after a change. */
const MAX_COUNTED = 12;

/** Counts the entries of each type that the visitor can see, for the first registries. */
export async function countEntries(
  view: View,
  indexes: EntryIndexes,
  registries: readonly RegistryLink[],
): Promise<RegistryCounts> {
  return new Map(
    await Promise.all(
      registries
        .slice(0, MAX_COUNTED)
        .map(async ({ name }) => [name, await countIn(view, indexes, name)] as const),
    ),
  );
}

async function countIn(view: View, indexes: EntryIndexes, registry: string): Promise<string | undefined> {
  const lists = indexes.of(view, registry, 'server');
  const matches = await Promise.all(ENTRY_TYPES.map((type) => lists.findSoon(type, PATIENCE_MS)));
  if (matches.some((list) => list === undefined || 'first' in list)) return undefined;
  const words = ENTRY_TYPES.flatMap((type, at) => {
    const count = countOf(matches[at]);
    if (count === undefined || count === '0') return [];
    return [`${count} ${(count === '1' ? TYPE_WORDS[type].one : TYPE_WORDS[type].many).toLowerCase()}`];
  });
  return words.length === 0 ? 'no entries' : words.join(', ');
}
