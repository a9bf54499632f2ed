import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for words that name no command. */
export function unknownCommand(
  actual: string,
  nearest: string | undefined,
  { topic, commands }: KnownCommands = { topic: '', commands: [] },
): PortolanError {
  const known =
    commands.length === 0
      ? '`portolan --help` lists the commands'
      : `\`portolan ${topic}\` has the commands ${commands.join(', ')}`;
  return new PortolanError('ERR_UNKNOWN_COMMAND', 'mistake', `unknown command "${actual}"`, {
    hint: nearest === undefined ? known : `did you mean \`portolan ${nearest}\`?`,
  });
}

/** Known commands that begin with the words before the unknown word. */
export interface KnownCommands {
  readonly topic: string;
  readonly commands: readonly string[];
}

/** Creates the error for a flag that the command does not have. */
export function unknownFlag(actual: string, nearest: string | undefined): PortolanError {
  return new PortolanError('ERR_UNKNOWN_FLAG', 'mistake', `unknown flag ${actual}`, {
    hint: nearest === undefined ? 'add --help to see the flags of the command' : `did you mean ${nearest}?`,
  });
}

/** Creates the error for a flag that has the name of an argument of the command. */
export function flagOfArgument(actual: string, name: string): PortolanError {
  return new PortolanError('ERR_UNKNOWN_FLAG', 'mistake', `unknown flag ${actual}`, {
    hint: `${name.toUpperCase()} is an argument: write it without ${actual}, at its place in the usage that --help shows`,
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
    `Code of a plugin or of the configuration called process.exit with status ${status}, at ${place}; the command is incomplete.`,
    {
      hint: 'throw an error in that code instead of calling process.exit, or remove the plugin from "plugins"',
    },
  );
}

/** Creates the error for an event loop that became empty before the command was done. */
export function processUnfinished(): PortolanError {
  return new PortolanError(
    'ERR_PROCESS_UNFINISHED',
    'fault',
    'The process ended before the command was complete, because nothing was left to wait for.',
    { hint: 'look for plugin code that waits for a promise that never settles' },
  );
}

/** Creates the error for an unusable file of `--token-file`. The message does not show its content. */
export function tokenFileInvalid(file: string, problem: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_TOKEN_FILE', 'mistake', `the token in ${file} cannot be used: ${problem}`, {
    hint: 'name a file that contains only an access token, or `-` for standard input',
    cause,
  });
}

/** Creates the error for an unreadable file of `--ca-cert`, or one without a certificate. */
export function certificateFileInvalid(file: string, problem: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `${file} cannot be used: ${problem}`, {
    hint: 'name a file with CA certificates in PEM format',
    cause,
  });
}

/** Creates the error for a secret store without a password in the keyring. */
export function noPasswordStored(store: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_KEYRING',
    'unavailable',
    `the secret store "${store}" keeps no password in the keyring`,
    {
      hint: 'choose the secret store "encrypted", which keeps a password',
    },
  );
}
