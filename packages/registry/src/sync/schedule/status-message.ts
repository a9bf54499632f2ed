import { isPortolanError } from '@portolan/plugin-api';

/**
 * Everyone who may see the source reads this. Errors of the database name its host or file, so they and
 * unknown errors get a generic text.
 */
export function statusMessageOf(error: unknown, otherwise: string): string {
  if (!isPortolanError(error)) return otherwise;
  const { publicMessage, code, message } = error;
  return publicMessage ?? (code.startsWith('ERR_DATABASE_') ? otherwise : message);
}
