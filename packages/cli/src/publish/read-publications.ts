import { isSkippedEntry, memberOf, readCatalogue, textOf } from '@portolan/entry-format';
import { type EntryType, isPortolanError } from '@portolan/plugin-api';
import type { Readable } from 'node:stream';
import { entryFileInvalid } from './publish-errors.ts';
import { nameOfInput, readFault, readInput } from '../terminal/read-input.ts';

export interface PublishableEntry {
  readonly type: EntryType;
  readonly document: unknown;
  /** Path in the file, such as `data.servers[3]`; empty when the entry is the whole file. */
  readonly place: string;
}

/** An item of a catalogue that is not a readable entry. */
export interface UnreadableEntry {
  readonly place: string;
  readonly because: string;
}

export interface Publications {
  readonly from: 'catalogue' | 'document';
  readonly entries: readonly (PublishableEntry | UnreadableEntry)[];
}

const MAX_BYTES = 256 * 1024 * 1024;
const CATALOGUE_MEMBERS = ['data', 'servers', 'remote_servers'];
const FORMS =
  'publish a server.json, a skill, a plugin, or a catalogue of them in the upstream or legacy format';

/**
 * Reads the entries of a file: a catalogue in either format (`readCatalogue`), or a single entry. `type` is
 * the type of a single entry, or selects entries of a catalogue. Throws ERR_ENTRY_FILE without entries.
 */
export async function readPublications(
  file: string,
  { type, stdin }: { readonly type: EntryType | undefined; readonly stdin: Readable },
): Promise<Publications> {
  const name = nameOfInput(file);
  const text = await readText(file, name, stdin);
  const value = parseJson(text);
  if (value === undefined) throw await notJson(name, text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw entryFileInvalid(name, 'it is not a JSON object', { hint: FORMS });
  if (!CATALOGUE_MEMBERS.some((member) => memberOf(value, member) !== undefined)) {
    return { from: 'document', entries: [{ type: type ?? typeOf(value, name), document: value, place: '' }] };
  }
  const publications = await readAll(name, text);
  const meant = publications.filter(
    (entry) => type === undefined || !('type' in entry) || entry.type === type,
  );
  if (meant.length === 0) {
    const what = type === undefined ? 'entries' : `${type}s`;
    throw entryFileInvalid(name, `it is a catalogue without ${what}`, { hint: FORMS });
  }
  return { from: 'catalogue', entries: meant };
}

async function readText(file: string, name: string, stdin: Readable): Promise<string> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readInput(file, stdin, MAX_BYTES);
  } catch (error) {
    throw entryFileInvalid(name, readFault(error), { hint: FORMS, cause: error });
  }
  if (bytes === undefined)
    throw entryFileInvalid(name, `it has more than ${MAX_BYTES} bytes`, { hint: 'split it' });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw entryFileInvalid(name, 'it is not UTF-8', { hint: 'save the file as JSON in UTF-8', cause: error });
  }
}

/** Returns undefined for text that is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Creates the error for text that is not JSON. It has the place of the fault if the catalogue reader finds
 * it; that reader stops at the first text that is not a catalogue.
 */
async function notJson(name: string, text: string): Promise<Error> {
  if (text.trim() === '') return entryFileInvalid(name, 'it is empty', { hint: FORMS });
  try {
    await readAll(name, text);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (error instanceof Error && isPortolanError(cause) && cause.code === 'ERR_CATALOGUE_NOT_JSON') {
      return error;
    }
  }
  return entryFileInvalid(name, 'it is not JSON', { hint: FORMS });
}

async function readAll(name: string, text: string): Promise<readonly (PublishableEntry | UnreadableEntry)[]> {
  const matches: (PublishableEntry | UnreadableEntry)[] = [];
  try {
    for await (const item of readCatalogue(once(text))) {
      if (isSkippedEntry(item)) matches.push({ place: item.skipped, because: item.because });
      else matches.push({ type: item.type, document: item.document, place: item.place ?? '' });
    }
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    const { message, hint } = error;
    throw entryFileInvalid(name, message, { cause: error, ...(hint === undefined ? {} : { hint }) });
  }
  return matches;
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

/**
 * Determines the type of an entry. Only skills and plugins have a namespace, and some members only exist in
 * skills. Throws ERR_ENTRY_FILE for an ambiguous entry.
 */
function typeOf(document: object, file: string): EntryType {
  if (memberOf(document, 'namespace') === undefined) return 'server';
  const schema = textOf(document, '$schema') ?? '';
  if (/skill/i.test(schema)) return 'skill';
  if (/plugin/i.test(schema)) return 'plugin';
  const ofSkills = ['compatibility', 'allowedTools', 'provenance'];
  if (ofSkills.some((member) => memberOf(document, member) !== undefined)) return 'skill';
  throw entryFileInvalid(file, 'it could be a skill or a plugin', {
    hint: 'add --type skill or --type plugin',
  });
}
