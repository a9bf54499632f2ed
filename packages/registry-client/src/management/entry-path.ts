import type { EntryType } from '@portolan/plugin-api';

/** An entry, as the admin API names it. */
export interface EntryAddress {
  readonly type: EntryType;
  readonly name: string;
}

/** Path of an entry in the admin API; its name is one segment. */
export function pathOfEntry({ type, name }: EntryAddress): string {
  return `/v1/entries/${type}/${encodeURIComponent(name)}`;
}

/** Path of one version of an entry. Throws for a version that no path can hold, which whoever asks has checked. */
export function pathOfVersion(entry: EntryAddress, version: string): string {
  if (!isPathSegment(version)) throw new TypeError(`no version: ${JSON.stringify(version)}`);
  return `${pathOfEntry(entry)}/versions/${encodeURIComponent(version)}`;
}

/** Whether a text can be one segment of a path: not one that stands for another folder. */
export function isPathSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..';
}
