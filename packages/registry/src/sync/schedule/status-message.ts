import { isPortolanError } from '@portolan/plugin-api';

/**
 * Returns the message of an error for the status of a source, which everyone who may see the source can read.
 * Database errors name a host or file, so they and unknown errors get the text `otherwise`.
 */
export function statusMessageOf(error: unknown, otherwise: string): string {
  if (!isPortolanError(error)) return otherwise;
  const { publicMessage, code, message } = error;
  return publicMessage ?? (code.startsWith('ERR_DATABASE_') ? otherwise : message);
}
