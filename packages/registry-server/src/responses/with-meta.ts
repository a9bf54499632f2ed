/**
 * Adds an empty `_meta` to a document without one, because clients of the reference implementation read
 * `server._meta[…]` without a check. Does not parse the document.
 */
export function withMeta(document: string): string {
  if (hasMeta(document)) return document;
  const separator = document.length > 2 ? ',' : '';
  return `${document.slice(0, -1)}${separator}"_meta":{}}`;
}

const KEY = '"_meta":';

/**
 * Returns whether a document has the key `_meta`. Stored text has no whitespace between tokens. The search
 * starts at the end, where the key usually is, because that is much faster.
 */
function hasMeta(document: string): boolean {
  let depth = 0;
  let end = document.length;
  // Quotes within strings are escaped, so a match is always a key, perhaps of a nested object.
  for (let at = document.lastIndexOf(KEY); at >= 0; at = at === 0 ? -1 : document.lastIndexOf(KEY, at - 1)) {
    depth += mapsClosed(document, at, end);
    end = at;
    if (depth === 1) return true;
  }
  return false;
}

const OPENING = 0x7b; // {
const CLOSING = 0x7d; // }
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns how many objects end between two positions, minus how many begin. Neither position is inside a
 * string.
 */
function mapsClosed(document: string, from: number, to: number): number {
  let closed = 0;
  for (let at = from; at < to; at += 1) {
    const code = document.charCodeAt(at);
    if (code === CLOSING) closed += 1;
    else if (code === OPENING) closed -= 1;
    else if (code === QUOTE) at = endOfText(document, at);
  }
  return closed;
}

function endOfText(document: string, start: number): number {
  let at = start + 1;
  while (at < document.length && document.charCodeAt(at) !== QUOTE)
    at += document.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
