import type { RegisteredClient } from '@portolan/oauth-client';
import { readJson, textMember } from '@portolan/run-spec';
import type { SecretsContext } from '../secrets/resolve-secrets.ts';
import { deleteOwnSecrets, findOwnSecret, storeSecrets } from '../secrets/store-secrets.ts';
import { keyOf, type RegistryLogin } from './registry-logins.ts';

/** Secrets of a login to a registry. They are stored as one secret, so that they always match each other. */
export interface LoginTokens {
  /** Token that requests carry; see `RegistryLogin.token`. */
  readonly accessToken: string;
  readonly issuedAt: string | undefined;
  /** Expiry as RFC 3339 time; undefined when the issuer does not say. */
  readonly expiresAt: string | undefined;
  readonly refreshToken: string | undefined;
  readonly clientSecret: string | undefined;
  /** Token that manages the registered client (RFC 7592). */
  readonly registrationToken: string | undefined;
}

/**
 * Reads the tokens; returns undefined when they are missing or invalid. Throws what the secret store throws.
 */
export async function readLoginTokens(
  address: string,
  context: SecretsContext,
  signal?: AbortSignal,
): Promise<LoginTokens | undefined> {
  const text = await findOwnSecret(nameOf(address), 'registry', context, signal);
  const reading = text === undefined ? undefined : readJson(text);
  if (reading === undefined || 'fault' in reading) return undefined;
  const member = (key: string): string | undefined => textMember(reading.value, key);
  const accessToken = member('accessToken');
  if (accessToken === undefined) return undefined;
  return {
    accessToken,
    issuedAt: member('issuedAt'),
    expiresAt: member('expiresAt'),
    refreshToken: member('refreshToken'),
    clientSecret: member('clientSecret'),
    registrationToken: member('registrationToken'),
  };
}

export async function storeLoginTokens(
  address: string,
  tokens: LoginTokens,
  context: SecretsContext,
  signal?: AbortSignal,
): Promise<void> {
  const secret = { name: nameOf(address), value: JSON.stringify(tokens) };
  await storeSecrets([secret], context, { scope: 'registry', ...(signal === undefined ? {} : { signal }) });
}

export async function deleteLoginTokens(
  address: string,
  context: SecretsContext,
  signal: AbortSignal,
): Promise<void> {
  await deleteOwnSecrets([nameOf(address)], 'registry', context, signal);
}

/** Returns the client registered for a login; undefined for a client that the user named. */
export function registeredClientOf(
  { clientId, registration }: RegistryLogin,
  { clientSecret, registrationToken: token }: LoginTokens,
): RegisteredClient | undefined {
  if (registration === undefined) return undefined;
  const { url, authMethod, secretExpiresAt: ends } = registration;
  return {
    clientId,
    clientSecret,
    authMethod,
    secretExpiresAt: ends === undefined ? undefined : new Date(ends),
    management: url === undefined || token === undefined ? undefined : { url, token },
  };
}

function nameOf(address: string): string {
  return `LOGIN_${keyOf(address)}`;
}
