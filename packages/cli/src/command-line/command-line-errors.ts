import { PortolanError } from '@portolan/plugin-api';

/** The words on the command line name no command. */
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

/** The commands below the words before an unknown one. */
export interface KnownCommands {
  readonly topic: string;
  readonly commands: readonly string[];
}

/** A command was given a flag that it does not have. */
export function unknownFlag(found: string, nearest: string | undefined): PortolanError {
  return new PortolanError('ERR_UNKNOWN_FLAG', 'mistake', `unknown flag ${found}`, {
    hint: nearest === undefined ? 'add --help to see the flags of the command' : `did you mean ${nearest}?`,
  });
}

/** Code that the configuration names has called `process.exit` while a command ran. */
export function processExited(status: number, place: string): PortolanError {
  return new PortolanError(
    'ERR_PROCESS_EXITED',
    'mistake',
    `The process was ended with status ${status} by code of a plugin or of the configuration, at ${place}; nothing more was done.`,
    { hint: 'throw an error there instead of calling process.exit, or take the plugin out of "plugins"' },
  );
}

/** Nothing was left that the process could wait for, although the command was not done. */
export function processUnfinished(): PortolanError {
  return new PortolanError(
    'ERR_PROCESS_UNFINISHED',
    'fault',
    'The process ended before the command was done: what it waited for can no longer happen.',
    { hint: 'look for code of a plugin that waits for something that nothing keeps running' },
  );
}

/** The file that `--token-file` names cannot be read, or holds no token. What it holds is not shown. */
export function tokenFileInvalid(file: string, problem: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_TOKEN_FILE', 'mistake', `the token in ${file} cannot be used: ${problem}`, {
    hint: 'name a file that holds an access token and nothing else, or `-` for standard input',
    cause,
  });
}

/** The file that `--ca-cert` names cannot be read, or holds no certificate. */
export function certificateFileInvalid(file: string, problem: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `${file} cannot be used: ${problem}`, {
    hint: 'name a file with certificates of authorities as PEM text',
    cause,
  });
}

/** The keyring was asked to forget, by a store that keeps no password. */
export function noPasswordKept(store: string): PortolanError {
  return new PortolanError('ERR_SECRET_KEYRING', 'unavailable', `the store "${store}" keeps no password`, {
    hint: 'only the provider "encrypted" has one',
  });
}
