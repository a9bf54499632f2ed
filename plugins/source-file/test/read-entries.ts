import type { SkippedEntry, Source, SourceEntry } from '@portolan/plugin-api';

/** Everything a source yields, to the end. */
export async function readEntries(
  source: Source,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly (SourceEntry | SkippedEntry)[]> {
  const items: (SourceEntry | SkippedEntry)[] = [];
  for await (const item of source.readEntries(signal)) items.push(item);
  return items;
}
