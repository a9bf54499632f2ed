const MOST_DESCRIPTION = 100;

/** Cut to the 100 characters that a description may have, never within one. */
export function shortDescription(description: string): string {
  if (description.length <= MOST_DESCRIPTION) return description;
  // No more than twice as many units as characters are needed, whatever the length of the text.
  const characters = Array.from(description.slice(0, 2 * MOST_DESCRIPTION + 2));
  return characters.length <= MOST_DESCRIPTION ? description : characters.slice(0, MOST_DESCRIPTION).join('');
}
