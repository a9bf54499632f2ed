import type { TokenSet, RegisteredClient } from '@portolan/oauth-client';
import { findSecretReference, formatSecretReference, type StoredLogin, textOf } from '@portolan/run-spec';
import { isPortolanError } from '@portolan/plugin-api';
import { deleteOwnSecrets, storeSecrets } from '../secrets/store-secrets.ts';
import type { SecretsContext } from '../secrets/resolve-secrets.ts';
import { loginNotStored } from './login-errors.ts';

export const LOGIN_SECRETS = [
  'OAUTH_ACCESS_TOKEN',
  'OAUTH_REFRESH_TOKEN',
  'OAUTH_CLIENT_SECRET',
  'OAUTH_REG_TOKEN',
] as const;
export type LoginSecret = (typeof LOGIN_SECRETS)[number];

const TARGETS: Readonly<Record<LoginSecret, string>> = {
  OAUTH_ACCESS_TOKEN: 'access_token',
  OAUTH_REFRESH_TOKEN: 'refresh_token',
  OAUTH_CLIENT_SECRET: 'oauth_secret',
  OAUTH_REG_TOKEN: 'registration_token',
};

/** Returns the name of a login's secret, for a workload or for a member of a virtual server. */
export function nameOfLoginSecret(secret: LoginSecret, workload: string): string {
  return `${secret}_${workload.replace('/', '-member-')}`;
}

export function referenceTo(secret: LoginSecret, workload: string): string {
  return formatSecretReference({ name: nameOfLoginSecret(secret, workload), target: TARGETS[secret] });
}

/**
 * Returns the names of the secrets to which a login refers. Read the names from the login, because other
 * tools choose names that differ from Portolan's.
 */
export function secretNamesOf(login: StoredLogin | undefined): readonly string[] {
  const { refreshToken, accessToken, clientSecret, registrationToken } = login ?? {};
  return namesIn([refreshToken, accessToken, clientSecret, registrationToken]);
}

export function tokenNamesOf(login: StoredLogin | undefined): readonly string[] {
  return namesIn([login?.refreshToken, login?.accessToken]);
}

function namesIn(references: readonly (string | undefined)[]): readonly string[] {
  return references.flatMap((text) => (text === undefined ? [] : (findSecretReference(text)?.name ?? [])));
}

/**
 * Returns the secrets of a login to store. The access token is stored only when there is no refresh token.
 */
export function secretsOfLogin(
  workload: string,
  { accessToken, refreshToken }: Pick<TokenSet, 'accessToken' | 'refreshToken'>,
  client: Pick<RegisteredClient, 'clientSecret' | 'management'> | undefined,
): readonly { readonly name: string; readonly value: string }[] {
  const values: readonly (readonly [LoginSecret, string | undefined])[] = [
    ['OAUTH_ACCESS_TOKEN', refreshToken === undefined ? accessToken : undefined],
    ['OAUTH_REFRESH_TOKEN', refreshToken],
    ['OAUTH_CLIENT_SECRET', client?.clientSecret],
    ['OAUTH_REG_TOKEN', client?.management?.token],
  ];
  return values.flatMap(([secret, value]) =>
    value === undefined ? [] : [{ name: nameOfLoginSecret(secret, workload), value }],
  );
}

/** Returns the login with a renewed client, and the secrets that the caller must store before the login. */
export function withRenewedClient(
  login: StoredLogin,
  { clientSecret, authMethod, secretExpiresAt, management }: Omit<RegisteredClient, 'clientId'>,
  workload: string,
): {
  readonly login: StoredLogin;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
} {
  const secret = clientSecret && (login.clientSecret ?? referenceTo('OAUTH_CLIENT_SECRET', workload));
  const token = management && (login.registrationToken ?? referenceTo('OAUTH_REG_TOKEN', workload));
  const values = [
    { name: secret && findSecretReference(secret)?.name, value: clientSecret },
    { name: token && findSecretReference(token)?.name, value: management?.token },
  ];
  return {
    login: {
      ...login,
      clientSecret: secret,
      registrationToken: token,
      registrationUri: management?.url,
      secretExpiresAt: secretExpiresAt?.toISOString(),
      authMethod,
    },
    secrets: values.flatMap(({ name, value }) =>
      name === undefined || value === undefined ? [] : [{ name, value }],
    ),
  };
}

/** Approximate size of a login's tokens in bytes; self-contained tokens are long. */
const TRIAL_BYTES = 4096;

/**
 * Checks that the secret store is writable before the user logs in. Throws ERR_LOGIN_NOT_KEPT, and the error
 * of a store that is not set up.
 */
export async function checkLoginStore(
  name: string,
  scope: 'workloads' | 'registry',
  context: SecretsContext,
  signal: AbortSignal,
): Promise<void> {
  const trial = `OAUTH_CHECK_${name}`;
  try {
    await storeSecrets([{ name: trial, value: 'x'.repeat(TRIAL_BYTES) }], context, { scope, signal });
    await deleteOwnSecrets([trial], scope, context, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isPortolanError(error) && error.code === 'ERR_SECRETS_NOT_SET_UP') throw error;
    throw loginNotStored(textOf(error), error);
  }
}
