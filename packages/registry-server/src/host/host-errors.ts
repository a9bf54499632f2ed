import { PortolanError } from '@portolan/plugin-api';

/** The keys of sessions, which were in order when the configuration was checked, are not any more. */
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

/** `--watch` was asked for, and the configuration is in no file. */
export function nothingToWatch(): PortolanError {
  return new PortolanError(
    'ERR_NOTHING_TO_WATCH',
    'mistake',
    'the configuration is in no file that could be watched',
    {
      hint: 'leave --watch out, or name a file with --config',
    },
  );
}

/** A stop took longer than it may, most likely because a plugin does not heed its signal. */
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
 * A source that was to be made through the API could not be checked, and not for
 * what was asked. A mistake of whoever set the server up is a fault to its callers.
 */
export function sourceUnchecked(cause: unknown): PortolanError {
  return new PortolanError('ERR_SOURCE_UNCHECKED', 'fault', 'The source could not be checked.', {
    hint: 'Look at the cause in the log: a plugin of this server failed.',
    cause,
  });
}

/** Claims of a source that was to be made through the API are too many or too long. */
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
