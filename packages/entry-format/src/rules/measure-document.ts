const MOST_DEPTH = 64;
const MOST_VALUES = 2_000_000;

/**
 * How many values a document holds, objects, arrays and members alike; or the
 * end of a sentence when it is nested deeper than 64 levels (as a value that
 * contains itself is), or holds more than two million values.
 */
export function measureDocument(document: unknown): { readonly values: number } | { readonly fault: string } {
  const values = countValues(document, 1);
  if (values === Infinity) return { fault: `is nested deeper than ${MOST_DEPTH} levels` };
  return values > MOST_VALUES ? { fault: `holds more than ${MOST_VALUES} values` } : { values };
}

/** Stops early once there are too many; Infinity when it is too deep. */
function countValues(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (depth > MOST_DEPTH) return Infinity;
  let count = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(member, depth + 1);
    if (count > MOST_VALUES) break;
  }
  return count;
}
