/** What was found, as an error repeats it: at most 80 characters. */
export function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
