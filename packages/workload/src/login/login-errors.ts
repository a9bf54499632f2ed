import { PortolanError } from '@portolan/plugin-api';

/** The secret store is not writable, so no login begins. */
export function loginNotKept(reason: string, cause: unknown): PortolanError {
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

/** A file with a token or a secret is invalid. */
export function tokenFileUnusable(flag: string, file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_TOKEN_FILE', 'mistake', `The file of ${flag}, ${file}, ${what}.`, {
    hint: 'Name a file that holds only the token or secret, on one line.',
    cause,
  });
}

/** The workload needs no login, or cannot have one. */
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
