const MAX_LINE_CHARACTERS = 2000;
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

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

  /** Returns the part of the output to show; after 1 MiB only a line that says so. */
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
