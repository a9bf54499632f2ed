/** Longer texts are cut in messages. */
const LONGEST = 80;

/** A text of the user in quotes, cut when it is long, with control characters escaped. */
export function quote(text: string): string {
  const start = text.slice(0, LONGEST).toWellFormed();
  return JSON.stringify(start.length < text.length ? `${start}…` : start);
}

/** Whether a text holds characters that no name, path or value of a command line needs: C0, DEL, C1. */
export function hasControlCharacters(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these very characters are looked for
  return /[\u0000-\u001f\u007f-\u009f]/u.test(text);
}

/** `one of a, b`; the only choice as it is. */
export function oneOf(choices: readonly string[]): string {
  return choices.length === 1 ? choices.join('') : `one of ${choices.join(', ')}`;
}
