import { isPublicRegistry, type UserSettings } from '@portolan/run-spec';
import type { Asker } from './trust-file.ts';

/**
 * Returns whether a registry that the user trusts published the entry. The public and the default registry
 * never count as trusted.
 */
export function isTrustedRegistry(
  { author, origin }: Asker,
  { trustedRegistries, defaultRegistryUrl }: Pick<UserSettings, 'trustedRegistries' | 'defaultRegistryUrl'>,
): boolean {
  if (author !== 'entry' || isPublicRegistry(origin)) return false;
  const address = normalize(origin);
  if (defaultRegistryUrl !== undefined && normalize(defaultRegistryUrl) === address) return false;
  return trustedRegistries.some((trusted) => normalize(trusted) === address);
}

function normalize(address: string): string {
  return (URL.parse(address)?.href ?? address).replace(/\/+$/, '');
}
