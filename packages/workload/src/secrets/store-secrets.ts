import { secretStoreReadOnly } from './secret-errors.ts';
import { findSecret, openChosenStore, type SecretsContext } from './resolve-secrets.ts';
import { type SecretScope, scopedName } from './secret-name.ts';

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
 * What a login has left, by the name in its reference: as a secret of Portolan's own,
 * then by its bare name, as another tool may have stored it. Undefined when there is
 * none, and where nothing could be put in its place. Throws as `storeSecrets`.
 */
export async function findLoginSecret(
  name: string,
  context: SecretsContext,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const opened = await openChosenStore(context);
  return opened.can.includes('set') ? await findSecret(name, opened, context, signal) : undefined;
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
