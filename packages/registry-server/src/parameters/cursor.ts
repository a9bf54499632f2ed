import { hash } from 'node:crypto';
import type { EntryType } from '@portolan/plugin-api';
import type { RowKey } from '@portolan/registry';
import { cursorInvalid } from '../errors.ts';
import type { Parameter } from './parameter.ts';

/** First element of every cursor, so that its form may change. */
const FORM = 1;
const CHECK_LENGTH = 8;

/** The query parameter; what it holds is opaque to clients. */
export const cursor = {
  description: '`metadata.nextCursor` of the page before. It carries the filters it was made with.',
  expected: 'metadata.nextCursor of the page before',
  // A plus sign of the standard alphabet arrives as a space when it was not escaped.
  schema: { type: 'string', maxLength: 4096, pattern: '^[A-Za-z0-9 +/_\\-]+={0,2}$' },
} as const satisfies Parameter;

/** Where a list goes on, and over which rows. */
export interface Cursor {
  readonly after: RowKey;
  /** Filters as a query string in canonical form; undefined in a cursor of the reference server, which has none. */
  readonly filters: string | undefined;
}

/** The list a cursor belongs to; it is of no use in another one. */
export interface CursorScope {
  readonly registry: string;
  readonly type: EntryType;
}

/** The cursor as text: URL-safe base64 without padding, since clients put it into addresses unescaped. */
export function encodeCursor(scope: CursorScope, after: RowKey, filters: string): string {
  const content = [scope.type, after.name, after.version, filters];
  return Buffer.from(JSON.stringify([FORM, checkOf(scope, content), ...content])).toString('base64url');
}

/**
 * Reads a cursor, ours or the reference server's (standard base64 of
 * `name,version`). Throws ERR_CURSOR_INVALID for any other text, for one that
 * was changed, and for one of another list.
 */
export function decodeCursor(scope: CursorScope, text: string): Cursor {
  const standard = text.replaceAll(' ', '+');
  const bare = standard.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const bytes = Buffer.from(bare, 'base64url');
  const content = bytes.toString('utf8');
  // Anything that is not exactly the encoding of its content was not made by an encoder.
  if (Buffer.from(content, 'utf8').toString('base64url') !== bare) throw cursorInvalid();
  return content.startsWith('[') ? decodeOwn(scope, content) : decodeReference(content);
}

function decodeOwn(scope: CursorScope, content: string): Cursor {
  const fields = parseArray(content);
  const [form, check, type, name, version, filters] = fields ?? [];
  if (form !== FORM || fields?.length !== 6) throw cursorInvalid();
  if (typeof name !== 'string' || typeof version !== 'string' || typeof filters !== 'string')
    throw cursorInvalid();
  if (type !== scope.type || check !== checkOf(scope, [scope.type, name, version, filters]))
    throw cursorInvalid();
  return { after: checkedKey(name, version), filters };
}

function decodeReference(content: string): Cursor {
  // A name has no comma; a version may.
  const at = content.indexOf(',');
  return { after: checkedKey(content.slice(0, Math.max(at, 0)), content.slice(at + 1)), filters: undefined };
}

/** Text that no row can have is never handed to the database. */
function checkedKey(name: string, version: string): RowKey {
  if (name.length > 256 || !/^[^\s\p{Cc}]+\/[^\s\p{Cc}]+$/u.test(name)) throw cursorInvalid();
  if (version.length > 255 || !/^[^\s\p{Cc}]+$/u.test(version)) throw cursorInvalid();
  return { name, version };
}

/** Not a signature: it tells apart what was damaged or belongs elsewhere. A forged cursor shows nothing more. */
function checkOf({ registry }: CursorScope, content: readonly string[]): string {
  return hash('sha256', JSON.stringify([registry, ...content]), 'base64url').slice(0, CHECK_LENGTH);
}

function parseArray(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
