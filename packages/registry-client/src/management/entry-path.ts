import type { EntryType } from '@portolan/plugin-api';

export interface EntryAddress {
  readonly type: EntryType;
  readonly name: string;
}

/** Returns the path of an entry. The name of an entry is one segment, so its slash is escaped. */
export function pathOfEntry({ type, name }: EntryAddress): string {
  return `/v1/entries/${type}/${encodeURIComponent(name)}`;
}

/**
 * Returns the path of a version. Throws for a version that cannot be part of a path, which the caller should
 * have rejected.
 */
export function pathOfVersion(entry: EntryAddress, version: string): string {
  if (!isPathSegment(version)) throw new TypeError(`no version: ${JSON.stringify(version)}`);
  return `${pathOfEntry(entry)}/versions/${encodeURIComponent(version)}`;
}

/** Returns whether a text can be a segment of a path. Dot segments cannot. */
export function isPathSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..';
}
