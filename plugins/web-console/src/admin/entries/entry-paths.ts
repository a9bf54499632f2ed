import type { EntryType } from '@portolan/plugin-api';

export function entryPath(type: EntryType, name: string, source: string | undefined): string {
  const query = source === undefined || source === '' ? '' : `?source=${encodeURIComponent(source)}`;
  return `/manage/entries/${type}/${encodeURIComponent(name)}${query}`;
}

export function entryInApi(type: string, name: string): string {
  return `/v1/entries/${encodeURIComponent(type)}/${encodeURIComponent(name)}`;
}
