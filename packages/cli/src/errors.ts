import { PortolanError, type PortolanErrorDetails } from '@portolan/plugin-api';

/** The words on the command line name no command. */
export function unknownCommand(found: string, nearest: string | undefined): PortolanError {
  return new PortolanError('ERR_UNKNOWN_COMMAND', 'mistake', `unknown command "${found}"`, {
    hint:
      nearest === undefined
        ? '`portolan --help` lists the commands'
        : `did you mean \`portolan ${nearest}\`?`,
  });
}

/** A command was given a flag that it does not have. */
export function unknownFlag(found: string, nearest: string | undefined): PortolanError {
  return new PortolanError('ERR_UNKNOWN_FLAG', 'mistake', `unknown flag ${found}`, {
    hint: nearest === undefined ? 'add --help to see the flags of the command' : `did you mean ${nearest}?`,
  });
}

/** A flag has a value that cannot be used, lacks its value, or stands twice; or there is a word too many. */
export function badArgument(problem: string): PortolanError {
  return new PortolanError('ERR_BAD_ARGUMENT', 'mistake', problem, {
    hint: 'add --help to see what is accepted',
  });
}

/** A change of the database has to be confirmed, and nobody can be asked: standard input is no terminal. */
export function confirmationNeeded(): PortolanError {
  return new PortolanError(
    'ERR_CONFIRMATION_NEEDED',
    'mistake',
    'this needs a confirmation, but standard input is no terminal',
    {
      hint: 'add --yes to go on without being asked',
    },
  );
}

/** The question whether to change the database was not answered with what it asks for. */
export function notConfirmed(): PortolanError {
  return new PortolanError('ERR_NOT_CONFIRMED', 'refused', 'not confirmed; nothing was changed', {
    hint: 'run the command again, or add --yes',
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
  return new PortolanError('ERR_CERTIFICATE_FILE', 'mistake', `${file} cannot be used: ${problem}`, {
    hint: 'name a file with certificates of authorities as PEM text',
    cause,
  });
}

/** The file to publish cannot be read, or is neither an entry nor a catalogue. */
export function entryFileInvalid(
  file: string,
  problem: string,
  details: PortolanErrorDetails,
): PortolanError {
  return new PortolanError('ERR_ENTRY_FILE', 'mistake', `${file} cannot be published: ${problem}`, details);
}

/** Entries break rules that can be checked without the server; all problems are listed, with their places. */
export function entriesInvalid(summary: string, problems: readonly string[]): PortolanError {
  return new PortolanError('ERR_ENTRIES_INVALID', 'mistake', [summary, ...problems].join('\n'), {
    hint: 'correct them; of a catalogue, --skip-invalid publishes the other entries',
  });
}

/** The server did not take every entry of a catalogue. */
export function entriesRefused(refused: number, all: number): PortolanError {
  return new PortolanError('ERR_ENTRIES_REFUSED', 'refused', `${refused} of ${all} entries were not taken`, {
    hint: 'the reasons stand above; those that were published stay',
  });
}

/** A server that would publish in earnest. */
export function dryRunUnknown(origin: string): PortolanError {
  return new PortolanError(
    'ERR_DRY_RUN_UNKNOWN',
    'unavailable',
    `The server at ${origin} has no dry runs; nothing was sent.`,
    {
      hint: 'ask for another release of the server; `POST /v1/validate` checks a document alone',
    },
  );
}

/** The server has refused; message and hint are its own. */
export function serverRefused(message: string, hint: string | undefined): PortolanError {
  return new PortolanError('ERR_SERVER_REFUSED', 'refused', message, hint === undefined ? {} : { hint });
}

/** The configured auth provider has no function that explains tokens. */
export function tokenUnexplained(mode: string): PortolanError {
  return new PortolanError(
    'ERR_TOKEN_UNEXPLAINED',
    'fault',
    `auth.mode "${mode}" cannot say what it makes of a token`,
    {
      hint: 'ask the running server instead, with --url',
    },
  );
}

/** The configuration, and the database where it was looked into, have no registry of this name. */
export function registryUnknown(name: string, known: readonly string[]): PortolanError {
  const names = known.map((one) => `"${one}"`).join(', ');
  return new PortolanError('ERR_REGISTRY_UNKNOWN', 'mistake', `there is no registry "${name}"`, {
    hint: names === '' ? 'there are no registries at all' : `there are ${names}`,
  });
}

/** The file in which installed plugins are listed cannot be read. */
export function installedPluginsUnreadable(file: string, cause: unknown): PortolanError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_INSTALLED_PLUGINS', 'mistake', `${file} cannot be read: ${problem}`, {
    hint: 'correct it, or move it away and install the plugins again with `portolan plugins install`',
    cause,
  });
}

/** Some of several workloads could not be done with what was asked for; the reasons were printed before. */
export function workloadsFailed(failed: number, all: number): PortolanError {
  return new PortolanError('ERR_WORKLOADS_FAILED', 'fault', `${failed} of ${all} workloads failed`, {
    hint: 'the reasons stand above',
  });
}

/** The value of a secret cannot be taken. It is not shown. */
export function secretValueUnusable(problem: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_SECRET_VALUE',
    'mistake',
    `the value of the secret cannot be used: ${problem}`,
    {
      hint: 'pipe it into the command, as in `printf %s "$KEY" | portolan secret set NAME`, or run it on a terminal',
      cause,
    },
  );
}

/** The keyring was asked to forget, by a store that keeps no password. */
export function noPasswordKept(store: string): PortolanError {
  return new PortolanError('ERR_SECRET_KEYRING', 'unavailable', `the store "${store}" keeps no password`, {
    hint: 'only the provider "encrypted" has one',
  });
}

/** A package that should be installed does not say that it is for the command line. */
export function pluginNotInstallable(cause: unknown): PortolanError {
  return new PortolanError('ERR_PLUGIN_COMMAND', 'fault', 'the package is no plugin that can be installed', {
    hint: 'its package.json needs the key "oclif" ({} where it brings no commands) beside "portolan"',
    cause,
  });
}
