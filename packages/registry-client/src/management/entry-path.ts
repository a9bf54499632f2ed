import type { EntryType } from '@portolan/plugin-api';

/** Address of an entry in the admin API. */
export interface EntryAddress {
  readonly type: EntryType;
  readonly name: string;
}

/** Returns the path of an entry in the admin API; its name is one segment. */
export function pathOfEntry({ type, name }: EntryAddress): string {
  return `/v1/entries/${type}/${encodeURIComponent(name)}`;
}

/**
 * Returns the path of a version. Throws for a version that is invalid in a path; the caller has checked it.
 */
export function pathOfVersion(entry: EntryAddress, version: string): string {
  if (!isPathSegment(version)) throw new TypeError(`no version: ${JSON.stringify(version)}`);
  return `${pathOfEntry(entry)}/versions/${encodeURIComponent(version)}`;
}

/** Returns whether a text can be one path segment: not a dot segment. */
export function isPathSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..';
}
