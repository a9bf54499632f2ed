import { ENTRY_TYPES } from '@portolan/plugin-api';
import { type EntryAddress, isPathSegment } from '@portolan/registry-client';
import { badArgument } from '../terminal/terminal-errors.ts';

/** Parses `TYPE/NAME`, split at the first slash: `server/com.acme/notes`. Throws ERR_BAD_ARGUMENT. */
export function parseEntryAddress(text: string): EntryAddress {
  const at = text.indexOf('/');
  const type = ENTRY_TYPES.find((known) => known === text.slice(0, at));
  const name = text.slice(at + 1);
  if (at < 0 || type === undefined || !isPathSegment(name)) {
    const types = ENTRY_TYPES.join(', ');
    throw badArgument(`found ${JSON.stringify(text)}; expected TYPE/NAME, where TYPE is one of ${types}`);
  }
  return { type, name };
}

/** Formats an entry for people: `server com.acme/notes`. */
export function printEntry({ type, name }: EntryAddress, version?: string): string {
  return version === undefined ? `${type} ${name}` : `${type} ${name} ${version}`;
}

/** Returns the version unchanged. Throws ERR_BAD_ARGUMENT for a version that a URL path cannot contain. */
export function parseVersion(text: string): string {
  if (!isPathSegment(text)) throw badArgument(`found ${JSON.stringify(text)}; expected a version`);
  return text;
}
