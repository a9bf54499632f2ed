import { PortolanError } from '@portolan/plugin-api';

/** Not a reference as 1Password writes them. */
export function badReference(): PortolanError {
  return new PortolanError('ERR_SECRET_NAME', 'mistake', 'This is no name of a secret in 1Password.', {
    hint: 'Write op://VAULT/ITEM/FIELD, as "Copy Secret Reference" of 1Password does.',
  });
}

/** The program is not there. */
export function programMissing(program: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SECRET_PROGRAM',
    'unavailable',
    `The program ${program} of 1Password was not found.`,
    {
      hint: 'Install the command line program of 1Password, or choose another store with `portolan secret setup`.',
      cause,
    },
  );
}

/** The program has no account. */
export function notSignedIn(program: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_LOCKED',
    'refused',
    `${program} is not signed in to 1Password.`,
    { hint: 'Set OP_SERVICE_ACCOUNT_TOKEN to the token of a service account that may read the vault.' },
  );
}

/** The program failed for another reason; the words are its own. */
export function programFailed(program: string, reason: string): PortolanError {
  return new PortolanError('ERR_SECRET_PROGRAM', 'unavailable', `${program} failed: ${reason}.`, {
    hint: 'Run the program by hand to see what is wrong; `op whoami` shows the account.',
  });
}
