import { PortolanError } from '@portolan/plugin-api';

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

/** The input of the terminal ended, by Ctrl-D or a closed window, before the question was answered. */
export function inputEnded(missing: string): PortolanError {
  return new PortolanError(
    'ERR_CONFIRMATION_NEEDED',
    'mistake',
    `No ${missing} was given: the input ended.`,
    {
      hint:
        missing === 'password'
          ? 'run the command again and type it; scripts set PORTOLAN_SECRETS_PASSWORD'
          : 'run the command again and answer; --help shows the flags that answer for scripts',
    },
  );
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
    'ERR_BAD_ARGUMENT',
    'mistake',
    `the value of the secret cannot be used: ${problem}`,
    {
      hint: 'pipe it into the command, as in `printf %s "$KEY" | portolan secret set NAME`, or run it on a terminal',
      cause,
    },
  );
}
