import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for words that name no command. */
export function unknownCommand(
  found: string,
  nearest: string | undefined,
  { topic, commands }: KnownCommands = { topic: '', commands: [] },
): PortolanError {
  const known =
    commands.length === 0
      ? '`portolan --help` lists the commands'
      : `\`portolan ${topic}\` has the commands ${commands.join(', ')}`;
  return new PortolanError('ERR_UNKNOWN_COMMAND', 'mistake', `unknown command "${found}"`, {
    hint: nearest === undefined ? known : `did you mean \`portolan ${nearest}\`?`,
  });
}

/** Commands below the words before an unknown one. */
export interface KnownCommands {
  readonly topic: string;
  readonly commands: readonly string[];
}

/** Creates the error for a flag that the command does not have. */
export function unknownFlag(found: string, nearest: string | undefined): PortolanError {
  return new PortolanError('ERR_UNKNOWN_FLAG', 'mistake', `unknown flag ${found}`, {
    hint: nearest === undefined ? 'add --help to see the flags of the command' : `did you mean ${nearest}?`,
  });
}

/**
 * Creates the error for code of a plugin or of the configuration that called `process.exit` while a command
 * ran.
 */
export function processExited(status: number, place: string): PortolanError {
  return new PortolanError(
    'ERR_PROCESS_EXITED',
    'mistake',
    `The process was ended with status ${status} by code of a plugin or of the configuration, at ${place}; nothing more was done.`,
    { hint: 'throw an error there instead of calling process.exit, or take the plugin out of "plugins"' },
  );
}

/** Creates the error for an event loop that became empty before the command was done. */
export function processUnfinished(): PortolanError {
  return new PortolanError(
    'ERR_PROCESS_UNFINISHED',
    'fault',
    'The process ended before the command was done: what it waited for can no longer happen.',
    { hint: 'look for code of a plugin that waits for something that nothing keeps running' },
  );
}

/** Creates the error for an unusable file of `--token-file`. The message does not show its content. */
export function tokenFileInvalid(file: string, problem: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_TOKEN_FILE', 'mistake', `the token in ${file} cannot be used: ${problem}`, {
    hint: 'name a file that holds an access token and nothing else, or `-` for standard input',
    cause,
  });
}

/** Creates the error for an unreadable file of `--ca-cert`, or one without a certificate. */
export function certificateFileInvalid(file: string, problem: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `${file} cannot be used: ${problem}`, {
    hint: 'name a file with certificates of authorities as PEM text',
    cause,
  });
}

/** Creates the error for a secret store that keeps no password in the keyring. */
export function noPasswordKept(store: string): PortolanError {
  return new PortolanError('ERR_SECRET_KEYRING', 'unavailable', `the store "${store}" keeps no password`, {
    hint: 'only the provider "encrypted" has one',
  });
}
