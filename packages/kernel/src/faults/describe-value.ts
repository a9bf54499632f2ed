const LONGEST = 60;

/**
 * Describes a value for a message. Quotes and truncates strings; describes maps, lists and secrets by their
 * type only.
 */
export function describeValue(value: unknown, isSecret = false): string {
  const isNothing = value === undefined || value === null;
  if (isSecret && !isNothing) return 'a value that is not shown';
  if (typeof value === 'string') {
    return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOfValue(value);
}

const KINDS: Readonly<Partial<Record<string, string>>> = {
  undefined: 'nothing',
  string: 'a text',
  boolean: 'true or false',
  object: 'a map',
};

export function kindOfValue(value: unknown): string {
  if (value === null) return 'nothing (null)';
  return Array.isArray(value) ? 'a list' : (KINDS[typeof value] ?? `a ${typeof value}`);
}

export function oneOf(choices: readonly string[]): string {
  return choices.length === 1 ? choices.join('') : `one of ${choices.join(', ')}`;
}
