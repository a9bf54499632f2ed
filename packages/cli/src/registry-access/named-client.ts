import { serverBaseOf } from '@portolan/registry-client';
import type { RegistryAuth, UserSettings } from '@portolan/run-spec';
import type { RegistryLoginFlags } from '../command-line/flags/registry-login-flags.ts';
import { badArgument } from '../terminal/terminal-errors.ts';

/**
 * Returns how to log in to a registry: from flags, else from the settings if these are about a registry of
 * the same server. Throws ERR_BAD_ARGUMENT for a secret without a client.
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
  const issuer = flags.issuer ?? settings.issuer;
  const clientId = flags['client-id'] ?? settings.clientId;
  // The stored secret belongs to one client of one issuer, and is sent to no other.
  const isKept = issuer === settings.issuer && clientId === settings.clientId;
  const clientSecret = flags['client-secret'] ?? (isKept ? settings.clientSecret : undefined);
  requireClientOfSecret({ issuer, clientId, clientSecret });
  return {
    issuer,
    clientId,
    clientSecret,
    audience: flags.audience ?? settings.audience,
    scopes: flags.scopes ?? settings.scopes,
  };
}

/**
 * Throws ERR_BAD_ARGUMENT for a client secret without an issuer and a client ID of the user. An issuer that
 * the registry names must not get the secret.
 */
export function requireClientOfSecret({
  issuer,
  clientId,
  clientSecret,
}: {
  readonly issuer?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
}): void {
  if (clientSecret === undefined || (issuer !== undefined && clientId !== undefined)) return;
  throw badArgument(
    '--client-secret: found a secret without a client; expected --issuer and --client-id too',
  );
}
