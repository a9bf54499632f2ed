const MAX_DEPTH = 64;
const MAX_VALUES = 2_000_000;

/**
 * Returns the number of values in a document: objects, arrays and members. Returns the end of a sentence for
 * a document that is nested deeper than 64 levels (such as a circular one) or has more than two million
 * values.
 */
export function measureDocument(document: unknown): { readonly values: number } | { readonly fault: string } {
  const values = countValues(document, 1);
  if (values === Infinity) return { fault: `is nested deeper than ${MAX_DEPTH} levels` };
  return values > MAX_VALUES ? { fault: `holds more than ${MAX_VALUES} values` } : { values };
}

/** Stops early above the maximum. Returns Infinity when the nesting is too deep. */
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
