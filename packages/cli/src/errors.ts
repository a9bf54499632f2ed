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
