const MAX_DEPTH = 64;
const MAX_VALUES = 2_000_000;

/**
 * How many values a document holds, objects, arrays and members alike; or the
 * end of a sentence when it is nested deeper than 64 levels (as a value that
 * contains itself is), or holds more than two million values.
 */
export function measureDocument(document: unknown): { readonly values: number } | { readonly fault: string } {
  const values = countValues(document, 1);
  if (values === Infinity) return { fault: `is nested deeper than ${MAX_DEPTH} levels` };
  return values > MAX_VALUES ? { fault: `holds more than ${MAX_VALUES} values` } : { values };
}

/** Stops early once there are too many; Infinity when it is too deep. */
function countValues(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (depth > MAX_DEPTH) return Infinity;
  let count = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(member, depth + 1);
    if (count > MAX_VALUES) break;
  }
  return count;
}
