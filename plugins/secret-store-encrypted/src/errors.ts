import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an invalid secret name. */
export function badSecretName(fault: string): PortolanError {
  return new PortolanError('ERR_SECRET_NAME', 'mistake', `The name of the secret is invalid: ${fault}.`, {
    hint: 'Use at most 255 characters, without control characters or white space around them.',
  });
}

/** Creates the error for a missing password without a terminal to ask for it. */
export function storeLocked(file: string, keyring: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_LOCKED',
    'refused',
    `The secrets in ${file} are locked: there is no password, and no terminal to prompt for one (${keyring}).`,
    { hint: 'Run the command on a terminal, or set PORTOLAN_SECRETS_PASSWORD.' },
  );
}

/** Creates the error for a wrong password. */
export function wrongPassword(file: string, origin: string, hint: string): PortolanError {
  return new PortolanError('ERR_SECRET_STORE_PASSWORD', 'refused', `${origin} does not open ${file}.`, {
    hint,
  });
}

/** Creates the error for a file that another program changed or truncated. Nothing was changed. */
export function storeDamaged(file: string, fault: string): PortolanError {
  return new PortolanError('ERR_SECRET_STORE_DAMAGED', 'fault', `${file} is damaged: ${fault}.`, {
    hint: `Restore a copy, such as the backup ${file}.bak of the last change, or move the file away and set the secrets again.`,
  });
}

/** Creates the error for a file of an unsupported newer format. */
export function storeNewer(file: string, count: number, known: number): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_NEWER',
    'conflict',
    `${file} has format ${count}; this version of Portolan knows formats up to ${known}.`,
    { hint: 'Use the newer version of Portolan that wrote it.' },
  );
}

/** Creates the error for secrets that exceed the size limit. Nothing was changed. */
export function storeFull(file: string, maxBytes: number): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_FULL',
    'fault',
    `${file} cannot store this secret: the maximum size of all secrets is ${maxBytes} bytes.`,
    { hint: 'Delete secrets that are not needed with `portolan secret delete`.' },
  );
}

/** Creates the error for an invalid new password. */
export function passwordRefused(fault: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_STORE_NEW_PASSWORD',
    'fault',
    `The password cannot be used: ${fault}.`,
    { hint: 'Run the command again.' },
  );
}

/** Creates the error for an unreachable keyring of the operating system. */
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

/** Creates the error for an unreadable file to import secrets from. */
export function foreignUnreadable(fault: string): PortolanError {
  return new PortolanError('ERR_SECRET_IMPORT', 'fault', `The file cannot be imported: ${fault}.`, {
    hint: 'Use a file "secrets_encrypted" and its password.',
  });
}
