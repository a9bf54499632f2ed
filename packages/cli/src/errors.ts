import { PortolanError } from '@portolan/plugin-api';

/** The words on the command line name no command. */
export function unknownCommand(found: string, nearest: string | undefined): PortolanError {
  return new PortolanError('ERR_UNKNOWN_COMMAND', `unknown command "${found}"`, {
    hint:
      nearest === undefined
        ? '`portolan --help` lists the commands'
        : `did you mean \`portolan ${nearest}\`?`,
  });
}

/** A command was given a flag that it does not have. */
export function unknownFlag(found: string, nearest: string | undefined): PortolanError {
  return new PortolanError('ERR_UNKNOWN_FLAG', `unknown flag ${found}`, {
    hint: nearest === undefined ? 'add --help to see the flags of the command' : `did you mean ${nearest}?`,
  });
}

/** A flag has a value that cannot be used, lacks its value, or stands twice; or there is a word too many. */
export function badArgument(problem: string): PortolanError {
  return new PortolanError('ERR_BAD_ARGUMENT', problem, { hint: 'add --help to see what is accepted' });
}

/** A change of the database has to be confirmed, and nobody can be asked: standard input is no terminal. */
export function confirmationNeeded(): PortolanError {
  return new PortolanError(
    'ERR_CONFIRMATION_NEEDED',
    'this needs a confirmation, but standard input is no terminal',
    {
      hint: 'add --yes to go on without being asked',
    },
  );
}

/** The question whether to change the database was not answered with what it asks for. */
export function notConfirmed(): PortolanError {
  return new PortolanError('ERR_NOT_CONFIRMED', 'not confirmed; nothing was changed', {
    hint: 'run the command again, or add --yes',
  });
}

/** Code that the configuration names has called `process.exit` while a command ran. */
export function processExited(status: number, place: string): PortolanError {
  return new PortolanError(
    'ERR_PROCESS_EXITED',
    `The process was ended with status ${status} by code of a plugin or of the configuration, at ${place}; nothing more was done.`,
    { hint: 'throw an error there instead of calling process.exit, or take the plugin out of "plugins"' },
  );
}

/** Nothing was left that the process could wait for, although the command was not done. */
export function processUnfinished(): PortolanError {
  return new PortolanError(
    'ERR_PROCESS_UNFINISHED',
    'The process ended before the command was done: what it waited for can no longer happen.',
    { hint: 'look for code of a plugin that waits for something that nothing keeps running' },
  );
}

/** A stop took longer than it may, most likely because a plugin does not heed its signal. */
export function stopIncomplete(limitMs: number): PortolanError {
  return new PortolanError(
    'ERR_STOP_INCOMPLETE',
    `not everything was closed within ${limitMs / 1000} s; ended all the same`,
    {
      hint: 'the log says what was still open; nothing that was answered is lost',
    },
  );
}
