import { hash } from 'node:crypto';
import { cursorInvalid } from '../errors.ts';

/** Encodes a URL-safe cursor that is valid only for this list. */
export function encodePageCursor(list: string, after: string): string {
  return Buffer.from(JSON.stringify([checkOf(list, after), after])).toString('base64url');
}

/** Decodes a cursor. Throws ERR_CURSOR_INVALID for a modified cursor and for a cursor of another list. */
export function decodePageCursor(list: string, text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw cursorInvalid();
  const [check, after, ...more] = parse(bytes.toString('utf8'));
  if (typeof after !== 'string' || check !== checkOf(list, after) || more.length > 0) throw cursorInvalid();
  return after;
}

/** Returns a checksum that detects damaged cursors and cursors of other lists. It is not a signature. */
function checkOf(list: string, after: string): string {
  return hash('sha256', JSON.stringify([list, after]), 'base64url').slice(0, 8);
}

function parse(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
