import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an incomplete or invalid server.json. Each problem names the flag that solves it. */
export function documentIncomplete(problems: readonly string[]): PortolanError {
  const head = problems.length === 1 ? 'One thing is' : `${problems.length} things are`;
  return new PortolanError(
    'ERR_INIT_PROJECT',
    'mistake',
    [`${head} missing or wrong; nothing was written`, ...problems.map((line) => `  ${line}`)].join('\n'),
    { hint: 'set the flags, or run the command on a terminal, where it asks' },
  );
}

/** Creates the error for an unusable project file. */
export function projectUnusable(file: string, because: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_INIT_PROJECT', 'mistake', `${file} cannot be used: ${because}.`, {
    hint: 'correct it, or name another file with --from; `--from none` reads no file',
    cause,
  });
}

/** Creates the error for an existing file at the place of the new server.json. */
export function wouldOverwrite(file: string): PortolanError {
  return new PortolanError(
    'ERR_RESOURCE_EXISTS',
    'conflict',
    `${file} already exists; nothing was written.`,
    {
      hint: 'name another file with --output, or add --yes to overwrite it',
    },
  );
}

/** Creates the error for a server.json that cannot be written. */
export function documentUnwritten(file: string, because: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_INIT_WRITE', 'unavailable', `${file} cannot be written: ${because}.`, {
    hint: 'name another file with --output; `-` is standard output',
    cause,
  });
}
