import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a login that cannot begin, because the secret store is not writable. */
export function loginNotStored(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_NOT_KEPT',
    'unavailable',
    `A login cannot be stored, because the secret store is not writable: ${reason}`,
    {
      hint: 'Choose another store with `portolan secret setup`, or find the problem with `portolan doctor`.',
      cause,
    },
  );
}

/** Creates the error for an invalid file that should contain a token or a secret. */
export function tokenFileUnusable(flag: string, file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_TOKEN_FILE', 'mistake', `The file of ${flag}, ${file}, ${what}.`, {
    hint: 'Name a file that holds only the token or secret, on one line.',
    cause,
  });
}

/** Creates the error for a login to a workload that needs no login, or that cannot have a login. */
export function loginNotPossible(name: string, why: string): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_NOT_POSSIBLE',
    'mistake',
    `Login is not possible for ${name}: ${why}.`,
    {
      hint: 'Log in only for remote servers that require it.',
    },
  );
}
