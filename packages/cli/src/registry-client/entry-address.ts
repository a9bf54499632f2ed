import { ENTRY_TYPES, type EntryType } from '@portolan/plugin-api';
import { badArgument } from '../errors.ts';

export interface EntryAddress {
  readonly type: EntryType;
  readonly name: string;
}

/** TYPE/NAME, split at the first slash: `server/com.acme/notes`. Throws ERR_BAD_ARGUMENT. */
export function parseEntryAddress(text: string): EntryAddress {
  const at = text.indexOf('/');
  const type = ENTRY_TYPES.find((known) => known === text.slice(0, at));
  const name = text.slice(at + 1);
  if (at < 0 || type === undefined || name === '' || name === '.' || name === '..') {
    const types = ENTRY_TYPES.join(', ');
    throw badArgument(`found ${JSON.stringify(text)}; expected TYPE/NAME, where TYPE is one of ${types}`);
  }
  return { type, name };
}

/** As a person reads it: `server com.acme/notes`. */
export function printEntry({ type, name }: EntryAddress, version?: string): string {
  return version === undefined ? `${type} ${name}` : `${type} ${name} ${version}`;
}

/** Path of an entry in the admin API; its name is one segment. */
export function pathOfEntry({ type, name }: EntryAddress): string {
  return `/v1/entries/${type}/${encodeURIComponent(name)}`;
}

/** Path of one version of an entry. Throws ERR_BAD_ARGUMENT for a version that no path can hold. */
export function pathOfVersion(entry: EntryAddress, version: string): string {
  if (version === '' || version === '.' || version === '..')
    throw badArgument(`found ${JSON.stringify(version)}; expected a version`);
  return `${pathOfEntry(entry)}/versions/${encodeURIComponent(version)}`;
}
