import { endOfString, isClosing, isOpening } from './json-text.ts';

/**
 * Maximum number of objects, lists, names and texts in lists that one message of a client may have. A refusal by
 * every policy takes 110 ms of CPU for so many names, and `JSON.parse` alone 500 ms for those that 8 MiB can hold.
 */
export const MAX_CLIENT_NODES = 50_000;

/** The same of one message of a server, whose results are larger. */
export const MAX_SERVER_NODES = 100_000;

/** Maximum number of commas in one message: a list of so many numbers takes 15 ms of CPU. */
export const MAX_ELEMENTS = 1_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

/** What a message has too much of. */
export type Excess = 'values' | 'levels';

/**
 * Returns what a message has too much of to be parsed: more than `maxNodes` nodes or MAX_ELEMENTS commas, or more
 * than `maxLevels` objects and lists inside each other. It parses nothing: a text that is not JSON is counted as if
 * it were.
 */
export function findExcess(text: string, maxNodes: number, maxLevels = Infinity): Excess | undefined {
  // Each node and each comma has a character of its own.
  if (text.length <= Math.min(maxNodes, MAX_ELEMENTS)) return undefined;
  let nodes = 0;
  let elements = 0;
  let levels = 0;
  let isMember = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      // The text of a member comes with its name.
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
