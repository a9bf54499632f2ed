/** Deeper than any document of a registry. */
const DEEPEST = 64;

/**
 * What `JSON.parse` lets pass and no two programs read alike: a key that stands
 * twice in an object; the key `__proto__`, which becomes no ordinary property
 * when it is copied; and nesting that exhausts a stack. Also whatever is no
 * JSON. Undefined when there is nothing of it. One pass over the text.
 */
export function findJsonFault(text: string): string | undefined {
  const tooDeep = isTooDeep(text);
  if (tooDeep) return `it is nested more than ${DEEPEST} levels deep`;
  if (!isJson(text)) return 'it is no JSON';
  return findKeyFault(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/**
 * Strings, and the characters that open, close and separate; numbers, words and
 * white space have no say. A string that does not end reaches to the end of the
 * text: were it no token, each later quote would be tried anew to the end.
 */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\]:,]/gs;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}

/** Of a text that is JSON: a string before a colon is a key of the innermost object. */
function findKeyFault(text: string): string | undefined {
  const objects: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') objects.push(new Set());
    else if (token === '[') objects.push(undefined);
    else if (token === '}' || token === ']') objects.pop();
    else if (token === ':') {
      const key: unknown = JSON.parse(last);
      const keys = objects.at(-1);
      if (typeof key !== 'string' || keys === undefined) return 'it is no JSON';
      if (key === '__proto__') return 'it has the key "__proto__"';
      if (keys.has(key)) return `the key ${JSON.stringify(key.slice(0, 64))} stands twice in one object`;
      keys.add(key);
    } else last = token;
  }
  return undefined;
}
