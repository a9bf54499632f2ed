import { isPortolanError } from '@portolan/plugin-api';
import { isLoginSecret } from '@portolan/run-spec';
import { secretStoreReadOnly } from './secret-errors.ts';
import { findSecret, openChosenStore, type SecretsContext } from './resolve-secrets.ts';
import { type SecretScope, scopedName } from './secret-name.ts';
import { judgeSecretName, type SecretOwner } from './secret-owner.ts';

export interface SecretValue {
  /** As references name it. */
  readonly name: string;
  readonly value: string;
}

/**
 * Keeps secrets in the store that the user has chosen. With a scope they are
 * Portolan's own: people neither see nor overwrite them, and references find
 * them by the same name. Throws ERR_SECRETS_NOT_SET_UP,
 * ERR_SECRET_STORE_READ_ONLY before anything is stored, and what the store throws.
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

/** The value of a secret of Portolan's own; undefined when there is none. Throws as `storeSecrets`. */
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
 * Returns a secret that a login left, by the name in its reference: from Portolan's
 * own secrets, then by its bare name, as another tool may have stored it. Returns
 * undefined when there is none, when the name is not that of a secret of this
 * workload's login, and where the store cannot keep a new value. Throws as `storeSecrets`.
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

/** Takes Portolan's own secrets of these names away again; those that are not there are no error. */
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
