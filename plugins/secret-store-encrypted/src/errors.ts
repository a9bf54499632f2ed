import { PortolanError } from '@portolan/plugin-api';

/** A secret cannot have this name. */
export function badSecretName(fault: string): PortolanError {
  return new PortolanError('ERR_SECRET_NAME', 'mistake', `This is no name of a secret: ${fault}.`, {
    hint: 'Use at most 255 characters, without control characters or white space around them.',
  });
}

/** The store has no password, and nobody can be asked for it. */
export function storeLocked(file: string, keyring: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_LOCKED',
    'refused',
    `The secrets in ${file} are locked: there is no password for them, and nobody can be asked (${keyring}).`,
    { hint: 'Run the command on a terminal, or set PORTOLAN_SECRETS_PASSWORD.' },
  );
}

/** The password does not open the file. */
export function wrongPassword(file: string, origin: string, hint: string): PortolanError {
  return new PortolanError('ERR_SECRET_STORE_PASSWORD', 'refused', `${origin} does not open ${file}.`, {
    hint,
  });
}

/** The file was changed or cut by something else. Nothing was changed. */
export function storeDamaged(file: string, fault: string): PortolanError {
  return new PortolanError('ERR_SECRET_STORE_DAMAGED', 'fault', `${file} is damaged: ${fault}.`, {
    hint: `Put a copy back, such as the backup ${file}.bak of the last change, or move the file away and set the secrets again.`,
  });
}

/** The file has a format that this version does not know. */
export function storeNewer(file: string, found: number, known: number): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_NEWER',
    'conflict',
    `${file} has format ${found}; this version of Portolan knows formats up to ${known}.`,
    { hint: 'Use the newer version of Portolan that has written it.' },
  );
}

/** All secrets together are too long. Nothing was changed. */
export function storeFull(file: string, mostBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_FULL',
    'fault',
    `${file} cannot take this secret: all of them may have ${mostBytes} bytes together.`,
    { hint: 'Delete secrets that are not needed with `portolan secret delete`.' },
  );
}

/** A new password cannot be used. */
export function passwordRefused(fault: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_NEW_PASSWORD',
    'fault',
    `The password cannot be used: ${fault}.`,
    { hint: 'Run the command again.' },
  );
}

/** The keyring of the operating system cannot be reached. */
export function keyringUnavailable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SECRET_KEYRING',
    'unavailable',
    `The keyring of the operating system cannot be used: ${reason}.`,
    {
      hint: 'Set PORTOLAN_SECRETS_PASSWORD, or start a keyring service in this session and unlock it.',
      cause,
    },
  );
}

/** A file to import secrets from is none that can be read. */
export function foreignUnreadable(fault: string): PortolanError {
  return new PortolanError('ERR_SECRET_IMPORT', 'fault', `The file cannot be imported: ${fault}.`, {
    hint: 'Name a file "secrets_encrypted" and give the password it was written with.',
  });
}
