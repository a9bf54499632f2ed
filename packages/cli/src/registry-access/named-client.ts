import { serverBaseOf } from '@portolan/registry-client';
import type { RegistryAuth, UserSettings } from '@portolan/run-spec';
import type { RegistryLoginFlags } from '../command-line/flags/registry-login-flags.ts';

/**
 * How to log in to a registry, as far as the user says it: by flags, else by the
 * settings where they are about a registry of the same server.
 */
export function namedClient(
  registry: URL,
  flags: RegistryLoginFlags,
  {
    registryApiUrl,
    registryUrl,
    registryAuth,
  }: Pick<UserSettings, 'registryApiUrl' | 'registryUrl' | 'registryAuth'>,
): RegistryAuth {
  const set = URL.parse(registryApiUrl ?? registryUrl ?? '');
  const isSet = set !== null && serverBaseOf(set).href === serverBaseOf(registry).href;
  const settings: Partial<RegistryAuth> = isSet ? registryAuth : {};
  return {
    issuer: flags.issuer ?? settings.issuer,
    clientId: flags['client-id'] ?? settings.clientId,
    audience: flags.audience ?? settings.audience,
    scopes: flags.scopes ?? settings.scopes,
  };
}
