/** Represents a text with a malformed percent escape, or one that is not UTF-8. */
export const MALFORMED = Symbol('malformed');

/** Yields the names and values of a query in order. Decodes each once; `+` is a space. */
export function* queryPairs(
  raw: string,
): Generator<readonly [name: string, value: string | typeof MALFORMED]> {
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at));
    if (name !== MALFORMED) yield [name, at < 0 ? '' : decode(part.slice(at + 1))];
  }
}

function decode(text: string): string | typeof MALFORMED {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  return decodeComponent(spaced) ?? MALFORMED;
}

/** Decodes percent escapes. Undefined for a malformed escape. */
export function decodeComponent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
