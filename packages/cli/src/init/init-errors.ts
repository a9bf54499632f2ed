import { PortolanError } from '@portolan/plugin-api';

/** A server.json cannot be written yet: what is missing, or wrong, with the flag that says it. */
export function documentIncomplete(problems: readonly string[]): PortolanError {
  const head = problems.length === 1 ? 'One thing is' : `${problems.length} things are`;
  return new PortolanError(
    'ERR_INIT_PROJECT',
    'mistake',
    [`${head} missing or wrong; nothing was written`, ...problems.map((line) => `  ${line}`)].join('\n'),
    { hint: 'say it with the flags, or run the command on a terminal, where it asks' },
  );
}

/** The file of a project, from which a server.json is to be made, cannot be used. */
export function projectUnusable(file: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_INIT_PROJECT', 'mistake', `${file} cannot be used: ${because}.`, {
    hint: 'correct it, or name another file with --from; `--from none` looks at no file',
    cause,
  });
}

/** There is a file where the server.json is to be written, and nobody has said that it may go. */
export function wouldOverwrite(file: string): PortolanError {
  return new PortolanError(
    'ERR_RESOURCE_EXISTS',
    'conflict',
    `${file} is there already; nothing was written.`,
    {
      hint: 'name another file with --output, or add --yes to write over it',
    },
  );
}

/** The server.json could not be written. */
export function documentUnwritten(file: string, because: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_INIT_WRITE', 'unavailable', `${file} cannot be written: ${because}.`, {
    hint: 'name another file with --output; `-` is standard output',
    cause,
  });
}
