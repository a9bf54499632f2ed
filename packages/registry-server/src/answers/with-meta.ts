/**
 * Adds an empty `_meta` when there is none: clients of the reference implementation read `server._meta[…]`
 * without a check. Nothing is parsed.
 */
export function withMeta(document: string): string {
  if (hasMeta(document)) return document;
  const separator = document.length > 2 ? ',' : '';
  return `${document.slice(0, -1)}${separator}"_meta":{}}`;
}

const KEY = '"_meta":';

/**
 * Stored text has no whitespace between tokens. The search starts at the end, where the key usually is; from
 * the start it would be half of a page's cost.
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

/** Counts ends minus beginnings of objects. Neither `from` nor `to` is inside a string. */
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
