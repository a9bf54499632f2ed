import { isPortolanError } from '@portolan/plugin-api';
import { isLoginSecret } from '@portolan/run-spec';
import { secretStoreReadOnly } from './secret-errors.ts';
import { findSecret, openChosenStore, type SecretsContext } from './resolve-secrets.ts';
import { type SecretScope, scopedName } from './secret-name.ts';
import { judgeSecretName, type SecretOwner } from './secret-owner.ts';

export interface SecretValue {
  /** Name of the secret as it appears in references. */
  readonly name: string;
  readonly value: string;
}

/**
 * Stores secrets in the user's secret store. With a scope, the secrets are Portolan's own: users neither see
 * nor overwrite them, but references use the same name. Throws ERR_SECRETS_NOT_SET_UP,
 * ERR_SECRET_STORE_READ_ONLY before storing anything, and what the store throws.
 */
export async function storeSecrets(
  secrets: readonly SecretValue[],
  context: SecretsContext,
  { scope, signal }: { readonly scope?: SecretScope; readonly signal?: AbortSignal } = {},
): Promise<void> {
  if (secrets.length === 0) return;
  const { name: provider, can, store } = await openChosenStore(context);
  if (!can.includes('set') || store.set === undefined) throw secretStoreReadOnly(provider, 'set');
  for (const { name, value } of secrets) {
    await store.set(scope === undefined ? name : scopedName(scope, name), value, signal);
  }
}

/**
 * Returns the value of one of Portolan's own secrets; undefined if there is none. Throws as `storeSecrets`.
 */
export async function findOwnSecret(
  name: string,
  scope: SecretScope,
  context: SecretsContext,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { can, store } = await openChosenStore(context);
  return can.includes('set') ? await store.find(scopedName(scope, name), signal) : undefined;
}

/**
 * Returns a stored secret of a login, even if another tool stored it among the user's secrets. Returns
 * undefined when there is no such secret, the name does not belong to this workload's login, or the store is
 * read-only. Throws as `storeSecrets`.
 */
export async function findLoginSecret(
  name: string,
  context: SecretsContext,
  owner: SecretOwner,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!isLoginSecret(name) || !(await isOwnName(name, owner))) return undefined;
  const opened = await openChosenStore(context);
  return opened.can.includes('set') ? await findSecret(name, opened, context, owner, signal) : undefined;
}

async function isOwnName(name: string, owner: SecretOwner): Promise<boolean> {
  try {
    return (await judgeSecretName(name, owner)) === 'own';
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_SECRET_RESERVED') return false;
    throw error;
  }
}

/** Deletes secrets that Portolan stored for itself. Ignores names that do not exist. */
export async function deleteOwnSecrets(
  names: readonly string[],
  scope: SecretScope,
  context: SecretsContext,
  signal?: AbortSignal,
): Promise<void> {
  if (names.length === 0) return;
  const { store } = await openChosenStore(context);
  for (const name of names) await store.delete?.(scopedName(scope, name), signal);
}
