/**
 * Returns a copy of a JSON value with every text in NFC. Member names stay as they are: two names can have the
 * same normal form, and one of them would be lost.
 */
export function normalizeTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC');
  if (Array.isArray(value)) return value.map(normalizeTexts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, normalizeTexts(member)]));
}
