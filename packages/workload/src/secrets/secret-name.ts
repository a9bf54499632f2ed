import {
  FOREIGN_SECRET_PREFIX,
  hasControlCharacters,
  isSystemSecret,
  SECRET_PREFIX,
} from '@portolan/run-spec';
import { badSecretName, secretNameReserved } from './secret-errors.ts';

/**
 * Scopes of the secrets that Portolan stores for itself. Workloads cannot read secrets of the scope `builds`.
 */
export const SECRET_SCOPES = ['workloads', 'builds', 'registry', 'auth'] as const;
export type SecretScope = (typeof SECRET_SCOPES)[number];

/** Returns the name in the store for a secret that Portolan stores for itself. */
export function scopedName(scope: SecretScope, name: string): string {
  return `${SECRET_PREFIX}${scope}_${name}`;
}

export function importedName(name: string): string {
  return name.startsWith(FOREIGN_SECRET_PREFIX)
    ? SECRET_PREFIX + name.slice(FOREIGN_SECRET_PREFIX.length)
    : name;
}

/**
 * Throws ERR_SECRET_NAME for a name that references cannot contain. Without `system`, also throws for names
 * of Portolan's own secrets.
 */
export function checkSecretName(name: string, { system = false }: { readonly system?: boolean } = {}): void {
  if (name === '' || name.trim() !== name || name.includes(',') || hasControlCharacters(name)) {
    throw badSecretName(name);
  }
  if (!system && isSystemSecret(name)) throw secretNameReserved(name);
}
