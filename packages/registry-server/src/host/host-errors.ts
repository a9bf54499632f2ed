import { invalidSource } from '@portolan/kernel';
import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for session keys that became invalid after the configuration was checked. */
export function sessionKeysUnusable(actual: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_SESSION_KEYS',
    'fault',
    `sessions.keyFile: found ${actual}; expected ${expected}.`,
    {
      hint: 'Check the file, and that the user of the Portolan process can read it.',
    },
  );
}

/** Creates the error for `--watch` without a configuration file. */
export function nothingToWatch(): PortolanError {
  return new PortolanError(
    'ERR_PARAMETER_INVALID',
    'mistake',
    'the configuration does not come from a file that can be watched',
    {
      hint: 'omit --watch, or name a file with --config',
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
    `not everything closed within ${limitMs / 1000} s; exiting anyway`,
    {
      hint: 'read in the log what was still open; no confirmed write is lost',
    },
  );
}

/**
 * Creates the error for a source from the API that could not be checked. To callers, a mistake in the
 * server's setup is an internal error.
 */
export function sourceUnchecked(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_CONTRACT', 'fault', 'The source could not be validated.', {
    hint: 'Read the cause in the log: a plugin of this server failed.',
    cause,
  });
}

/** Creates the error for claims of a source from the API that are too many or too long. */
export function sourceClaimsInvalid(problems: readonly string[]): PortolanError {
  return invalidSource(problems.join(' '), { hint: 'Set fewer or shorter claims.' });
}
