import { isPortolanError } from '@portolan/plugin-api';

/**
 * Returns the text that a source's status shows for an error, to everyone who may see the source. Errors of
 * sources are written for that audience. Errors of the database name its host or file, and others get a
 * generic text.
 */
export function statusMessageOf(error: unknown, otherwise: string): string {
  if (!isPortolanError(error)) return otherwise;
  const { publicMessage, code, message } = error;
  return publicMessage ?? (code.startsWith('ERR_DATABASE_') ? otherwise : message);
}
