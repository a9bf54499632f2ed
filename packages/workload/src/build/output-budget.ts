/** Maximum length of a line of a build's output in characters. */
const MAX_LINE_CHARACTERS = 2000;
/** Maximum length of the shown output of one build in characters. */
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

/** Returns the text with each line cut to 2,000 characters. */
export function cutLines(text: string): string {
  if (text.length <= MAX_LINE_CHARACTERS) return text;
  return text
    .split('\n')
    .map((line) => (line.length > MAX_LINE_CHARACTERS ? `${line.slice(0, MAX_LINE_CHARACTERS)}…` : line))
    .join('\n');
}

/** Limits the output of a build: an install script may print without end. */
export class OutputBudget {
  #left = MAX_OUTPUT_CHARACTERS;

  /**
   * Returns the part of the output to show. After 1 MiB, adds a line that says so and returns empty texts
   * from then on.
   */
  take(text: string): string {
    if (this.#left === 0) return '';
    const cut = cutLines(text);
    if (cut.length < this.#left) {
      this.#left -= cut.length;
      return cut;
    }
    const last = cut.slice(0, this.#left);
    this.#left = 0;
    return `${last}\nThe build has printed 1 MiB; the rest of its output is not shown.`;
  }
}
