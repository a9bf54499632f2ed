import { ENTRY_TYPES, type EntryType } from '@portolan/plugin-api';
import { cursorInvalid } from './admin-errors.ts';

export interface EntryKey {
  readonly type: EntryType;
  readonly name: string;
}

export interface VersionKey extends EntryKey {
  readonly position: number;
  readonly orderKey: string;
}

export function printEntryKey({ type, name }: EntryKey): string {
  return JSON.stringify([type, name]);
}

/** Parses the cursor of a list of entries. Throws ERR_CURSOR_INVALID. */
export function parseEntryKey(text: string): EntryKey {
  const [type, name, ...rest] = parseArray(text);
  if (rest.length > 0) throw cursorInvalid();
  return { type: entryTypeOf(type), name: storableText(name) };
}

export function printVersionKey({ type, name, position, orderKey }: VersionKey): string {
  return JSON.stringify([type, name, position, orderKey]);
}

/** Parses the cursor of a list of versions. Throws ERR_CURSOR_INVALID. */
export function parseVersionKey(text: string): VersionKey {
  const [type, name, position, orderKey, ...rest] = parseArray(text);
  if (rest.length > 0 || typeof position !== 'number' || !Number.isSafeInteger(position))
    throw cursorInvalid();
  return { type: entryTypeOf(type), name: storableText(name), position, orderKey: storableText(orderKey) };
}

function parseArray(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw cursorInvalid();
}

function entryTypeOf(value: unknown): EntryType {
  const type = ENTRY_TYPES.find((known) => known === value);
  if (type === undefined) throw cursorInvalid();
  return type;
}

function storableText(value: unknown): string {
  // PostgreSQL rejects strings with U+0000.
  if (typeof value !== 'string' || value.includes('\0')) throw cursorInvalid();
  return value;
}
