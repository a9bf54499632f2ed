import { isPortolanError } from '@portolan/plugin-api';

/**
 * What the status of a source says of an error, to everyone who may see the source: sources take care in their
 * messages, while those about the database name its host or file, and others have a text for strangers.
 */
export function statusMessageOf(error: unknown, otherwise: string): string {
  if (!isPortolanError(error)) return otherwise;
  const { publicMessage, code, message } = error;
  return publicMessage ?? (code.startsWith('ERR_DATABASE_') ? otherwise : message);
}
