/**
 * A stored server document, with an empty `_meta` where it has none: clients of the
 * reference implementation read `server._meta[…]` without asking whether it is there.
 * Everything else stays byte by byte as it is; nothing is parsed.
 */
export function withMeta(document: string): string {
  if (hasMeta(document)) return document;
  const separator = document.length > 2 ? ',' : '';
  return `${document.slice(0, -1)}${separator}"_meta":{}}`;
}

const KEY = '"_meta":';

/**
 * Whether `_meta` is a key of the document itself. Stored text has no space between
 * its parts. Looked at from the end, where it mostly stands: with a page of a hundred
 * documents, all before it would be half of what the page costs.
 */
function hasMeta(document: string): boolean {
  let depth = 0;
  let end = document.length;
  // Quotes within a text are escaped, so that this is always a key, of the document or of something in it.
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

/** How many more maps end than begin there; neither `from` nor `to` lies within a text. */
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

/** Where the text ends that begins here. */
function endOfText(document: string, start: number): number {
  let at = start + 1;
  while (at < document.length && document.charCodeAt(at) !== QUOTE)
    at += document.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
