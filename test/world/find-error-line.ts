/** Maximum length of an error in the page. */
export const MAX_ERROR_LENGTH = 160;

/** Returns the line of an output that names the error, in at most `MAX_ERROR_LENGTH` characters. */
export function findErrorLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line =
    lines.find((one) => /^(?:error|fatal)\b/i.test(one)) ??
    lines.findLast((one) => /error|exception/i.test(one)) ??
    lines.at(-1) ??
    '';
  return line.slice(0, MAX_ERROR_LENGTH);
}
