import { isDeepStrictEqual } from 'node:util';
import { unreachable } from '@portolan/run-spec';
import type { ClientProgram } from './client-table.ts';
import { type ClientEntry, addressOfUnchanged, isOurs } from './client-entry.ts';
import type { FileEdit, OpenedDocument } from './file-edit.ts';

const MARK = '\uFEFF';

/**
 * Adds or updates an entry in the text of a client's file. Keeps fields that the user added. Returns a fault
 * when an entry of this name exists that Portolan did not write.
 */
export async function withEntry(
  client: ClientProgram,
  text: string,
  entry: ClientEntry,
  url: string,
): Promise<FileEdit> {
  return await inDocument(client, text, (document) => {
    const existing = document.find(entry.name);
    if (existing !== undefined && !isOurs(existing, client, entry.name, url)) {
      return { fault: `it already has another server named ${entry.name}` };
    }
    return document.set(entry);
  });
}

/** Removes the entry of a workload from the text of a client's file. Keeps an entry that the user wrote. */
export async function withoutEntry(
  client: ClientProgram,
  text: string,
  name: string,
  url: string | undefined,
): Promise<FileEdit> {
  return await inDocument(client, text, (document) => {
    const existing = document.find(name);
    return existing === undefined || !isOurs(existing, client, name, url)
      ? { text: text.replace(MARK, '') }
      : document.remove(name);
  });
}

/** Server in a client's file, as the client reads it. */
export interface FileEntry {
  readonly name: string;
  readonly value: unknown;
  /** Whether Portolan wrote the entry, or it leads to a server of this machine. */
  readonly isOurs: boolean;
}

/** Returns all servers of a client's file; a fault when the file cannot be parsed. */
export async function listEntries(
  client: ClientProgram,
  text: string,
): Promise<readonly FileEntry[] | { readonly fault: string }> {
  const document = await openDocument(client, text.replace(MARK, ''));
  if ('fault' in document) return document;
  return document.names().map((name) => {
    const value = document.find(name);
    return { name, value, isOurs: isOurs(value, client, name, undefined) };
  });
}

/** Entry of a workload in place of another server. */
export interface EntryReplacement {
  /** The server that is replaced, unedited since it was read. */
  readonly former: FileEntry;
  readonly entry: ClientEntry;
}

/**
 * Replaces servers in the text of a client's file. No field of a former server stays, because any may hold a
 * secret. Returns a fault, and no text, if one of them was edited meanwhile.
 */
export async function withReplacements(
  client: ClientProgram,
  text: string,
  replacements: readonly EntryReplacement[],
): Promise<FileEdit> {
  let edited: FileEdit = { text };
  for (const { former, entry } of replacements) {
    if ('fault' in edited) return edited;
    edited = await inDocument(client, edited.text, (document) =>
      isDeepStrictEqual(plain(document.find(former.name)), plain(former.value))
        ? document.remove(former.name)
        : { fault: `${former.name} was edited in the meantime` },
    );
    if ('fault' in edited) return edited;
    edited = await inDocument(client, edited.text, (document) =>
      document.find(entry.name) === undefined
        ? document.set(entry)
        : { fault: `it already has another server named ${entry.name}` },
    );
  }
  return edited;
}

/** Returns a value without the prototypes of the parser that made it. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Entry of a client's file, unedited since Portolan wrote it. */
export interface UnchangedEntry {
  readonly name: string;
  /** URL of the entry; empty for an entry with a command. */
  readonly url: string;
}

/**
 * Returns the entries of a client's file that are unedited since Portolan wrote them; none when the file
 * cannot be parsed.
 */
export async function listUnchangedEntries(
  client: ClientProgram,
  text: string,
): Promise<readonly UnchangedEntry[]> {
  const document = await openDocument(client, text.replace(MARK, ''));
  if ('fault' in document) return [];
  return document.names().flatMap((name) => {
    const url = addressOfUnchanged(document.find(name), client, name);
    return url === undefined ? [] : [{ name, url }];
  });
}

async function inDocument(
  client: ClientProgram,
  text: string,
  edit: (document: Exclude<OpenedDocument, { readonly fault: string }>) => FileEdit,
): Promise<FileEdit> {
  const mark = text.startsWith(MARK) ? MARK : '';
  const document = await openDocument(client, text.slice(mark.length));
  if ('fault' in document) return document;
  const edited = edit(document);
  return 'fault' in edited ? edited : { text: mark + edited.text };
}

async function openDocument({ format, servers }: ClientProgram, text: string): Promise<OpenedDocument> {
  switch (format) {
    case 'json-map':
      return await (await import('./json-document.ts')).openJsonDocument(text, servers);
    case 'yaml-map':
      return await (await import('./yaml-document.ts')).openYamlDocument(text, servers, 'map');
    case 'yaml-list':
      return await (await import('./yaml-document.ts')).openYamlDocument(text, servers, 'list');
    case 'toml-map':
      return await (await import('./toml-document.ts')).openTomlDocument(text, servers, 'map');
    case 'toml-list':
      return await (await import('./toml-document.ts')).openTomlDocument(text, servers, 'list');
    default:
      return unreachable(format);
  }
}
