/** Maximum number of characters of a found value in an error. */
const MAX_CHARACTERS = 80;

/** Returns a found value as an error repeats it, cut to MAX_CHARACTERS. */
export function shortened(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 3)}...`;
}
