import {
  FOREIGN_SECRET_PREFIX,
  hasControlCharacters,
  isSystemSecret,
  SECRET_PREFIX,
} from '@portolan/run-spec';
import { badSecretName, secretNameReserved } from './secret-errors.ts';

/** What secrets of Portolan itself are kept for. Those for builds are found by no workload. */
export const SECRET_SCOPES = ['workloads', 'builds', 'registry', 'auth'] as const;
export type SecretScope = (typeof SECRET_SCOPES)[number];

/** The name under which a secret of Portolan itself is stored. */
export function scopedName(scope: SecretScope, name: string): string {
  return `${SECRET_PREFIX}${scope}_${name}`;
}

/** The name that a secret of the reference implementation gets here. */
export function importedName(name: string): string {
  return name.startsWith(FOREIGN_SECRET_PREFIX)
    ? SECRET_PREFIX + name.slice(FOREIGN_SECRET_PREFIX.length)
    : name;
}

/** Throws ERR_SECRET_NAME for what cannot be referred to, and for names of Portolan's own secrets. */
export function checkSecretName(name: string, { system = false }: { readonly system?: boolean } = {}): void {
  if (name === '' || name.trim() !== name || name.includes(',') || hasControlCharacters(name)) {
    throw badSecretName(name);
  }
  if (!system && isSystemSecret(name)) throw secretNameReserved(name);
}
