import type { ErrorCode } from './read-error-codes.ts';
import { REMEDIES } from './remedies.ts';

const HEAD = `# Errors

Every error that a person may see has a code. Programs compare the code; the text may change. The code stands in the
field \`code\` of logs and of answers over HTTP; the command line prints the message and, below it, a hint. A code is
never used again for something else.

`;

/** The reference page of all error codes: what it says, when it happens, what to do. */
export function renderErrors(codes: readonly ErrorCode[]): string {
  const byCode = Map.groupBy(codes, ({ code }) => code);
  return HEAD + [...byCode].map(([code, uses]) => renderCode(code, uses)).join('\n');
}

function renderCode(code: string, uses: readonly ErrorCode[]): string {
  const madeIn = [...new Set(uses.map((use) => `\`${use.madeIn}\``))].join(', ');
  const cases = uses.map(({ message, cause, remedy = REMEDIES[code] }) =>
    [
      `- ${escaped(message)}`,
      ...(cause === undefined ? [] : [`  - Cause: ${escaped(cause)}`]),
      ...(remedy === undefined ? [] : [`  - What to do: ${escaped(remedy)}`]),
    ].join('\n'),
  );
  return `## ${code}\n\nFrom ${madeIn}.\n\n${cases.join('\n')}\n`;
}

/** Placeholders in angle brackets would be taken for HTML, except in code. */
function escaped(text: string): string {
  const parts = text.split('`');
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '\\<').replaceAll('*', '\\*')))
    .join('`');
}
