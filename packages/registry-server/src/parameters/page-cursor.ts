import { hash } from 'node:crypto';
import { cursorInvalid } from '../errors.ts';

/** URL-safe, valid only for that list. */
export function encodePageCursor(list: string, after: string): string {
  return Buffer.from(JSON.stringify([checkOf(list, after), after])).toString('base64url');
}

/** Throws ERR_CURSOR_INVALID for a modified cursor or one of another list. */
export function decodePageCursor(list: string, text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw cursorInvalid();
  const [check, after, ...more] = parse(bytes.toString('utf8'));
  if (typeof after !== 'string' || check !== checkOf(list, after) || more.length > 0) throw cursorInvalid();
  return after;
}

/** Detects damaged cursors and those of other lists. Not a signature. */
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
