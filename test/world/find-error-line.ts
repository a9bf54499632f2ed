/** Maximum length of an error in the page. */
export const MAX_ERROR_LENGTH = 160;

/** Lines of npm that name no cause: a code that the next line explains, and the path of a log. */
const NPM_NOISE = /^npm error (?:code |A complete log of this run)/i;

/** Returns the line of an output that names the error, in at most `MAX_ERROR_LENGTH` characters. */
export function findErrorLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !NPM_NOISE.test(line));
  const line =
    lines.find((one) => /^(?:npm )?(?:error|fatal)\b/i.test(one)) ??
    lines.findLast((one) => /error|exception/i.test(one)) ??
    lines.at(-1) ??
    '';
  return line.slice(0, MAX_ERROR_LENGTH);
}
