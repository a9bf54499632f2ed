const MAX_DESCRIPTION = 100;

/** Truncates a description to at most 100 characters, without splitting a character. */
export function shortDescription(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description;
  // Each character has at most two code units, so a long text need not be converted in full.
  const characters = Array.from(description.slice(0, 2 * MAX_DESCRIPTION + 2));
  return characters.length <= MAX_DESCRIPTION ? description : characters.slice(0, MAX_DESCRIPTION).join('');
}
