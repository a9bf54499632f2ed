import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for text that is not a reference in 1Password's form. */
export function badReference(): PortolanError {
  return new PortolanError('ERR_SECRET_NAME', 'mistake', 'The name is not a secret reference of 1Password.', {
    hint: 'Use op://VAULT/ITEM/FIELD, as "Copy Secret Reference" of 1Password does.',
  });
}

/** Creates the error for a missing program. */
export function programMissing(program: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SECRET_PROGRAM',
    'unavailable',
    `The 1Password program ${program} was not found.`,
    {
      hint: 'Install the command line program of 1Password, or choose another store with `portolan secret setup`.',
      cause,
    },
  );
}

/** Creates the error for a program without account. */
export function notSignedIn(program: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_LOCKED',
    'refused',
    `${program} is not signed in to 1Password.`,
    { hint: 'Set OP_SERVICE_ACCOUNT_TOKEN to the token of a service account that may read the vault.' },
  );
}

/** Creates the error for another failure of the program, in its own words. */
export function programFailed(program: string, reason: string): PortolanError {
  return new PortolanError('ERR_SECRET_PROGRAM', 'unavailable', `${program} failed: ${reason}.`, {
    hint: 'Run the program manually to see what is wrong; `op whoami` shows the account.',
  });
}
