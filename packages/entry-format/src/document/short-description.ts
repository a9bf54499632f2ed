const MAX_DESCRIPTION = 100;

/** Truncates to the maximum of 100 characters, without splitting one. */
export function shortDescription(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description;
  // Twice as many code units always suffice, so long texts are not converted in full.
  const characters = Array.from(description.slice(0, 2 * MAX_DESCRIPTION + 2));
  return characters.length <= MAX_DESCRIPTION ? description : characters.slice(0, MAX_DESCRIPTION).join('');
}
