import { PortolanError } from '@portolan/plugin-api';

/** The secret store is not writable, so no login begins. */
export function loginNotKept(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_NOT_KEPT',
    'unavailable',
    `A login could not be kept, since the secret store cannot be written: ${reason}`,
    {
      hint: '`portolan secret setup` chooses a store; `portolan doctor` looks at what is wrong with it.',
      cause,
    },
  );
}

/** A file with a token or a secret is invalid. */
export function tokenFileUnusable(flag: string, file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_TOKEN_FILE', 'mistake', `The file of ${flag}, ${file}, ${what}.`, {
    hint: 'It holds the text alone, on one line.',
    cause,
  });
}

/** The workload needs no login, or cannot have one. */
export function loginNotPossible(name: string, why: string): PortolanError {
  return new PortolanError('ERR_LOGIN_NOT_POSSIBLE', 'mistake', `Nobody can log in for ${name}: ${why}.`, {
    hint: 'Logins are for remote servers that ask for one.',
  });
}
