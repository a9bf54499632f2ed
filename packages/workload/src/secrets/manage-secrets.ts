import type { SecretListing } from '@portolan/plugin-api';
import { isSystemSecret } from '@portolan/run-spec';
import type { OpenSecretStore } from '../workload-context.ts';
import { findBareSecret, openChosenStore, type SecretsContext } from './resolve-secrets.ts';
import {
  secretNotThere,
  secretsMissing,
  secretStoreReadOnly,
  secretStoreReadsNothingForeign,
} from './secret-errors.ts';
import { checkSecretName, importedName } from './secret-name.ts';

export interface SecretAccess {
  /** Whether to include the secrets that Portolan stored for itself. */
  readonly system?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Returns the sorted names of the stored secrets. By default leaves out the secrets that Portolan stored for
 * itself. Throws ERR_SECRET_STORE_READ_ONLY and what the store throws.
 */
export async function listSecrets(
  context: SecretsContext,
  { system = false, signal }: SecretAccess = {},
): Promise<readonly SecretListing[]> {
  const { name: provider, can, store } = await openChosenStore(context);
  if (!can.includes('list') || store.list === undefined) throw secretStoreReadOnly(provider, 'list');
  const listings = await store.list(signal);
  return system ? listings : listings.filter(({ name }) => !isSystemSecret(name));
}

/**
 * Returns the value of a secret, found in the same way as for references. Throws ERR_SECRET_NOT_FOUND,
 * ERR_SECRET_NAME and what the store throws.
 */
export async function getSecret(
  name: string,
  context: SecretsContext,
  { system = false, signal }: SecretAccess = {},
): Promise<string> {
  const opened = await openChosenStore(context);
  if (opened.can.includes('set')) checkSecretName(name, { system });
  const value = await findBareSecret(name, opened, context, signal);
  if (value === undefined) throw secretsMissing([name], opened.name);
  return value;
}

/** Stores a secret. Throws ERR_SECRET_NAME, ERR_SECRET_STORE_READ_ONLY and what the store throws. */
export async function setSecret(
  name: string,
  value: string,
  context: SecretsContext,
  { signal }: SecretAccess = {},
): Promise<void> {
  const store = await openWritable(context);
  checkSecretName(name);
  await store.set(name, value, signal);
}

/** Deletes a secret. Throws ERR_SECRET_NOT_FOUND if there is none, and as `setSecret`. */
export async function deleteSecret(
  name: string,
  context: SecretsContext,
  { system = false, signal }: SecretAccess = {},
): Promise<void> {
  const { name: provider, can, store } = await openChosenStore(context);
  if (!can.includes('delete') || store.delete === undefined) throw secretStoreReadOnly(provider, 'delete');
  checkSecretName(name, { system });
  if (!(await store.delete(name, signal))) throw secretNotThere(name, provider);
}

export interface ImportedSecrets {
  readonly imported: readonly string[];
  /** Names of secrets that existed already and stay unchanged. */
  readonly kept: readonly string[];
}

/**
 * Imports the secrets from another program's file. Secrets which that program stored for itself become
 * secrets that Portolan stores for itself. Throws ERR_SECRET_IMPORT and as `setSecret`.
 */
export async function importSecrets(
  content: Uint8Array,
  context: SecretsContext,
  { replace, signal }: { readonly replace: boolean; readonly signal?: AbortSignal },
): Promise<ImportedSecrets> {
  const reader = await context.kinds.openSecretStore('encrypted');
  if (reader.store.readForeign === undefined) throw secretStoreReadsNothingForeign(reader.name);
  const store = await openWritable(context);
  const secrets = await reader.store.readForeign(content, signal);
  const [imported, remaining]: [string[], string[]] = [[], []];
  for (const [foreign, value] of secrets) {
    const name = importedName(foreign);
    const isThere = !replace && (await store.find(name, signal)) !== undefined;
    if (!isThere) await store.set(name, value, signal);
    (isThere ? remaining : imported).push(name);
  }
  return { imported, kept: remaining };
}

async function openWritable(
  context: SecretsContext,
): Promise<Required<Pick<OpenSecretStore['store'], 'find' | 'set'>>> {
  const { name: provider, can, store } = await openChosenStore(context);
  const set = store.set?.bind(store);
  if (!can.includes('set') || set === undefined) throw secretStoreReadOnly(provider, 'set');
  return { find: (...rest) => store.find(...rest), set };
}
