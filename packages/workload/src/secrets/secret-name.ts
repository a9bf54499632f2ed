import {
  FOREIGN_SECRET_PREFIX,
  hasControlCharacters,
  isSystemSecret,
  SECRET_PREFIX,
} from '@portolan/run-spec';
import { badSecretName, secretNameReserved } from './secret-errors.ts';

/** Purposes of Portolan's own secrets. Workloads cannot read those for builds. */
export const SECRET_SCOPES = ['workloads', 'builds', 'registry', 'auth'] as const;
export type SecretScope = (typeof SECRET_SCOPES)[number];

/** Returns the name under which Portolan stores a secret of its own. */
export function scopedName(scope: SecretScope, name: string): string {
  return `${SECRET_PREFIX}${scope}_${name}`;
}

export function importedName(name: string): string {
  return name.startsWith(FOREIGN_SECRET_PREFIX)
    ? SECRET_PREFIX + name.slice(FOREIGN_SECRET_PREFIX.length)
    : name;
}

/**
 * Throws ERR_SECRET_NAME for a name that references cannot contain, and for names of Portolan's own secrets.
 */
export function checkSecretName(name: string, { system = false }: { readonly system?: boolean } = {}): void {
  if (name === '' || name.trim() !== name || name.includes(',') || hasControlCharacters(name)) {
    throw badSecretName(name);
  }
  if (!system && isSystemSecret(name)) throw secretNameReserved(name);
}
