import { serverBaseOf } from '@portolan/registry-client';
import type { RegistryAuth, UserSettings } from '@portolan/run-spec';
import type { RegistryLoginFlags } from '../command-line/flags/registry-login-flags.ts';
import { badArgument } from '../terminal/terminal-errors.ts';

/**
 * How to log in to a registry, as far as the user says it: by flags, else by the
 * settings where they are about a registry of the same server. Throws
 * ERR_BAD_ARGUMENT for a secret of nobody knows whose client.
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
  // What is kept for one client proves no other one, and goes to nobody else.
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

/** A registry may name whom to ask for a login: that one gets no secret, which is for whom the user has named. Throws ERR_BAD_ARGUMENT. */
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
  throw badArgument('--client-secret: found no client that it is of; expected --issuer and --client-id too');
}
