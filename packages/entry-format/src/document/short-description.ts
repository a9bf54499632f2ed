const MAX_DESCRIPTION = 100;

/** Cut to the 100 characters that a description may have, never within one. */
export function shortDescription(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description;
  // No more than twice as many units as characters are needed, whatever the length of the text.
  const characters = Array.from(description.slice(0, 2 * MAX_DESCRIPTION + 2));
  return characters.length <= MAX_DESCRIPTION ? description : characters.slice(0, MAX_DESCRIPTION).join('');
}
