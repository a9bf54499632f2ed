import type { ErrorCode } from './read-error-codes.ts';
import { REMEDIES } from './remedies.ts';

const HEAD = `# Errors

Every error that a person may see has a code. Programs compare the code; the text may change. The code stands in the
field \`code\` of logs and of answers over HTTP; the command line prints the message and, below it, a hint. A code is
never used again for something else.

Every error has a class, from which exit status and HTTP status follow, for errors of plugins as well:

| class | means | exit | HTTP |
|---|---|---|---|
| \`mistake\` | what was asked for cannot be used: command line, configuration, request | 2 | 400 |
| \`absent\` | what was named is not there | 1 | 404 |
| \`conflict\` | it stands against what is there already | 1 | 409 |
| \`refused\` | whoever asks may not have it | 1 | 403 |
| \`busy\` | possible, but not at the moment | 1 | 503 |
| \`unavailable\` | something else that is needed does not answer, or not as it has to | 1 | 503, of a workload's proxy 502 |
| \`fault\` | a defect, or a state that only somebody who looks can put right | 1 | 500 |

Where HTTP has a more exact status (401, 405, 412, 413, 415, 504), an answer has that.

`;

/** Returns the reference page of all error codes: message, cause, and what to do. */
export function renderErrors(codes: readonly ErrorCode[]): string {
  const byCode = Map.groupBy(codes, ({ code }) => code);
  return HEAD + [...byCode].map(([code, uses]) => renderCode(code, uses)).join('\n');
}

function renderCode(code: string, uses: readonly ErrorCode[]): string {
  const madeIn = [...new Set(uses.map((use) => `\`${use.madeIn}\``))].join(', ');
  const cases = uses.map(({ message, cause, remedy = REMEDIES[code] }) =>
    [
      `- ${escaped(message)}`,
      ...(cause === undefined ? [] : [`  - Cause: ${escaped(causeOf(cause))}`]),
      ...(remedy === undefined ? [] : [`  - What to do: ${escaped(remedy)}`]),
    ].join('\n'),
  );
  const [errorClass] = uses.flatMap((use) => use.errorClass ?? []);
  const from = errorClass === undefined ? 'From' : `A \`${errorClass}\` error from`;
  return `## ${code}\n\n${from} ${madeIn}.\n\n${cases.join('\n')}\n`;
}

/** Returns the cause that the docstring of an error's function names, without "Creates the error for". */
function causeOf(docstring: string): string {
  const cause = docstring.replace(/^Creates the error for /, '');
  return cause.charAt(0).toUpperCase() + cause.slice(1);
}

/** Escapes angle brackets of placeholders, which are HTML outside of code. */
function escaped(text: string): string {
  const parts = text.split('`');
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '\\<').replaceAll('*', '\\*')))
    .join('`');
}
