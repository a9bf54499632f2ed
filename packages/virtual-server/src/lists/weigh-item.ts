const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING = new Set([0x7b, 0x5b]);
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** The proxy accepts ten times as many commas in a message as other values. */
const COMMAS_OF_A_VALUE = 10;

/**
 * Returns how much valid JSON counts towards the maximum number of values in a message: its objects, lists, names
 * and strings in lists, or a tenth of its commas if that is more.
 */
export function weighItem(text: string): number {
  let values = 0;
  let commas = 0;
  let isMember = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (BLANKS.has(code)) continue;
    if (code === QUOTE) {
      if (!isMember) values += 1;
      at = endOfString(text, at);
    } else if (OPENING.has(code)) values += 1;
    else if (code === COMMA) commas += 1;
    isMember = code === COLON;
  }
  return Math.max(values, Math.ceil(commas / COMMAS_OF_A_VALUE));
}

/** Returns the place of the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
