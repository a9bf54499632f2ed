/** Maximum characters of user input in an error message. */
const MAX_CHARACTERS = 80;

export function shortened(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 3)}...`;
}
