import { hash } from 'node:crypto';
import type { EntryType } from '@portolan/plugin-api';
import type { RowKey } from '@portolan/registry';
import { cursorInvalid } from '../errors.ts';
import type { Parameter } from './parameter.ts';

/** Version of the cursor format, its first element. */
const FORM = 1;
const CHECK_LENGTH = 8;

/** Cursor parameter; opaque to clients. */
export const cursor = {
  description: '`metadata.nextCursor` of the previous page. It includes the filters of that page.',
  expected: 'metadata.nextCursor of the previous page',
  // An unescaped plus sign of standard base64 arrives as a space.
  schema: { type: 'string', maxLength: 4096, pattern: '^[A-Za-z0-9 +/_\\-]+={0,2}$' },
} as const satisfies Parameter;

export interface Cursor {
  readonly after: RowKey;
  /** Filters of the list as a canonical query string. Undefined in a cursor of the reference server. */
  readonly filters: string | undefined;
}

/** List for which a cursor is valid. Other lists reject the cursor. */
export interface CursorScope {
  readonly registry: string;
  readonly type: EntryType;
}

/** Encodes a cursor as URL-safe base64, because clients insert cursors into addresses unescaped. */
export function encodeCursor(scope: CursorScope, after: RowKey, filters: string): string {
  const content = [scope.type, after.name, after.version, filters];
  return Buffer.from(JSON.stringify([FORM, checkOf(scope, content), ...content])).toString('base64url');
}

/**
 * Decodes cursors of this server or of the reference server (standard base64 of `name,version`). Throws
 * ERR_CURSOR_INVALID.
 */
export function decodeCursor(scope: CursorScope, text: string): Cursor {
  const standard = text.replaceAll(' ', '+');
  const bare = standard.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  const bytes = Buffer.from(bare, 'base64url');
  const content = bytes.toString('utf8');
  // Rejects everything but the exact encoding of its content.
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

/** Returns the position if a row can have this name and version. Throws ERR_CURSOR_INVALID otherwise. */
function checkedKey(name: string, version: string): RowKey {
  if (name.length > 256 || !/^[^\s\p{Cc}]+\/[^\s\p{Cc}]+$/u.test(name)) throw cursorInvalid();
  if (version.length > 255 || !/^[^\s\p{Cc}]+$/u.test(version)) throw cursorInvalid();
  return { name, version };
}

/**
 * Returns a checksum that detects damaged cursors and cursors of other lists. It is not a signature: a forged
 * cursor reveals nothing more.
 */
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
