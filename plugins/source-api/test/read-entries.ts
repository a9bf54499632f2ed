import type { ReadItem, Source } from '@portolan/plugin-api';
import { readContext } from '@portolan/plugin-testing';

/** Everything a source yields, to the end. */
export async function readEntries(
  source: Source,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ReadItem[]> {
  const items: ReadItem[] = [];
  for await (const item of source.readEntries(signal, readContext())) items.push(item);
  return items;
}
