import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for session keys that became invalid after the configuration was checked. */
export function sessionKeysUnusable(found: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_SESSION_KEYS',
    'fault',
    `sessions.keyFile: found ${found}; expected ${expected}.`,
    {
      hint: 'Check the file, and that the user that runs Portolan may read it.',
    },
  );
}

/** Creates the error for `--watch` without a configuration file. */
export function nothingToWatch(): PortolanError {
  return new PortolanError(
    'ERR_PARAMETER_INVALID',
    'mistake',
    'the configuration is in no file that could be watched',
    {
      hint: 'leave --watch out, or name a file with --config',
    },
  );
}

/**
 * Creates the error for a stop that exceeded its time limit, most likely because a plugin ignores its signal.
 */
export function stopIncomplete(limitMs: number): PortolanError {
  return new PortolanError(
    'ERR_STOP_INCOMPLETE',
    'fault',
    `not everything was closed within ${limitMs / 1000} s; ended all the same`,
    {
      hint: 'the log says what was still open; nothing that was answered is lost',
    },
  );
}

/**
 * Creates the error for a source from the API that could not be checked. To callers, a mistake in the
 * server's setup is an internal error.
 */
export function sourceUnchecked(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_CONTRACT', 'fault', 'The source could not be checked.', {
    hint: 'Look at the cause in the log: a plugin of this server failed.',
    cause,
  });
}

/** Creates the error for claims of a source from the API that are too many or too long. */
export function sourceClaimsInvalid(problems: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_INVALID',
    'mistake',
    `The source cannot be used. ${problems.join(' ')}`,
    {
      hint: 'Give fewer or shorter claims.',
    },
  );
}
