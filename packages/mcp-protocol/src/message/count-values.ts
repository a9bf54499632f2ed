import { endOfString, isClosing, isOpening } from './json-text.ts';

/**
 * Maximum number of objects, lists, names and strings in lists of a client message, which bounds its CPU
 * time.
 */
export const MAX_CLIENT_NODES = 50_000;

/** Maximum of the same values in a server message, whose results are larger. */
export const MAX_SERVER_NODES = 100_000;

/** Maximum number of commas, which bounds lists of numbers. */
export const MAX_ELEMENTS = 1_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

export type Excess = 'values' | 'levels';

/**
 * Returns the exceeded limit: `maxNodes` values, MAX_ELEMENTS commas or `maxLevels` levels. Scans without
 * parsing, so it counts invalid JSON as well.
 */
export function findExcess(text: string, maxNodes: number, maxLevels = Infinity): Excess | undefined {
  if (text.length <= Math.min(maxNodes, MAX_ELEMENTS)) return undefined;
  let nodes = 0;
  let elements = 0;
  let levels = 0;
  let isMember = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      // The string value of a member does not count, because its name already does.
      if (!isMember) nodes += 1;
      at = endOfString(text, at) - 1;
    } else if (isOpening(code)) {
      nodes += 1;
      levels += 1;
    } else if (isClosing(code)) levels -= 1;
    else if (code === COMMA) elements += 1;
    else if (code !== COLON) continue;
    isMember = code === COLON;
    if (levels > maxLevels) return 'levels';
    if (nodes > maxNodes || elements > MAX_ELEMENTS) return 'values';
  }
  return undefined;
}
