import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an invalid, missing or repeated value of a flag, or an unexpected argument. */
export function badArgument(problem: string): PortolanError {
  return new PortolanError('ERR_BAD_ARGUMENT', 'mistake', problem, {
    hint: 'add --help to see what is accepted',
  });
}

/** Creates the error for a command that asks questions when there is no terminal; another command replaces it. */
export function terminalNeeded(replacement: string): PortolanError {
  return new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    'this command asks on a terminal, but there is none',
    { hint: `use ${replacement}` },
  );
}

/** Creates the error for a change that needs a confirmation when standard input is not a terminal. */
export function confirmationNeeded(): PortolanError {
  return new PortolanError(
    'ERR_CONFIRMATION_NEEDED',
    'mistake',
    'this command needs a confirmation, but standard input is not a terminal',
    {
      hint: 'add --yes to confirm',
    },
  );
}

/** Creates the error for a confirmation that the user declined. */
export function notConfirmed(): PortolanError {
  return new PortolanError('ERR_NOT_CONFIRMED', 'refused', 'not confirmed; nothing was changed', {
    hint: 'run the command again, or add --yes',
  });
}

/** Creates the error for a terminal input that ended before the answer, by Ctrl-D or a closed window. */
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

/**
 * Creates the error for an operation that failed for some of several workloads; the reasons were printed
 * before.
 */
export function workloadsFailed(failed: number, all: number): PortolanError {
  return new PortolanError('ERR_WORKLOADS_FAILED', 'fault', `${failed} of ${all} workloads failed`, {
    hint: 'see the reasons above',
  });
}

/** Creates the error for an unusable value of a secret. The message does not show it. */
export function secretValueUnusable(problem: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    `the value of the secret cannot be used: ${problem}`,
    {
      hint: 'pipe the value into the command, as in `printf %s "$KEY" | portolan secret set NAME`, or run it on a terminal',
      cause,
    },
  );
}
