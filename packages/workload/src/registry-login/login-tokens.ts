import type { RegisteredClient } from '@portolan/oauth-client';
import { readJson, textMember } from '@portolan/run-spec';
import type { SecretsContext } from '../secrets/resolve-secrets.ts';
import { deleteOwnSecrets, findOwnSecret, storeSecrets } from '../secrets/store-secrets.ts';
import { keyOf, type RegistryLogin } from './registry-logins.ts';

/** What of a login to a registry is secret; it is kept as one secret, so that its parts belong together. */
export interface LoginTokens {
  /** The one that requests carry; see `RegistryLogin.token`. */
  readonly accessToken: string;
  /** When it was given. RFC 3339, as the next. */
  readonly issuedAt: string | undefined;
  /** Undefined where the issuer does not say. */
  readonly expiresAt: string | undefined;
  readonly refreshToken: string | undefined;
  /** Of a client that has one: it was registered, or is named with it. */
  readonly clientSecret: string | undefined;
  /** With it that client is looked after. */
  readonly registrationToken: string | undefined;
}

/** Undefined where there is nothing, or nothing that can be used. Throws what the secret store throws. */
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

/** Throws what the secret store throws. */
export async function storeLoginTokens(
  address: string,
  tokens: LoginTokens,
  context: SecretsContext,
  signal?: AbortSignal,
): Promise<void> {
  const secret = { name: nameOf(address), value: JSON.stringify(tokens) };
  await storeSecrets([secret], context, { scope: 'registry', ...(signal === undefined ? {} : { signal }) });
}

/** Throws what the secret store throws. */
export async function deleteLoginTokens(
  address: string,
  context: SecretsContext,
  signal: AbortSignal,
): Promise<void> {
  await deleteOwnSecrets([nameOf(address)], 'registry', context, signal);
}

/** The client that was registered for a login; undefined for one that was named. */
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
