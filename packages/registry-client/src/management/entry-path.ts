import type { EntryType } from '@portolan/plugin-api';

export interface EntryAddress {
  readonly type: EntryType;
  readonly name: string;
}

/** The name of an entry is one segment. */
export function pathOfEntry({ type, name }: EntryAddress): string {
  return `/v1/entries/${type}/${encodeURIComponent(name)}`;
}

/** Throws for a version that is invalid in a path; the caller has checked it. */
export function pathOfVersion(entry: EntryAddress, version: string): string {
  if (!isPathSegment(version)) throw new TypeError(`no version: ${JSON.stringify(version)}`);
  return `${pathOfEntry(entry)}/versions/${encodeURIComponent(version)}`;
}

/** Rejects dot segments. */
export function isPathSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..';
}
