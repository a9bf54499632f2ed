import { partsOf } from './short-turns.ts';

/**
 * Returns the entries that contain every word, in their order. Yields to other requests between parts of a
 * long list.
 */
export async function findWords<Entry extends { readonly searched: string }>(
  entries: readonly Entry[],
  words: readonly string[],
  turn: () => Promise<void>,
): Promise<readonly Entry[]> {
  if (words.length === 0) return entries;
  const matches: Entry[] = [];
  for await (const part of partsOf(entries, turn)) {
    matches.push(...part.filter(({ searched }) => words.every((word) => searched.includes(word))));
  }
  return matches;
}
