/** Maximum nesting of a body, which is more than any registry document needs. */
const DEEPEST = 64;

/**
 * Returns what is wrong with a JSON text that `JSON.parse` accepts but programs interpret differently:
 * duplicate keys, the key `__proto__`, or nesting that exhausts a stack. Scans the text once.
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
 * An unterminated string extends to the end of the text; otherwise each later quote would be scanned to the
 * end again.
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

/** Returns the fault of a key. In valid JSON, a string before a colon is a key of the innermost object. */
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
