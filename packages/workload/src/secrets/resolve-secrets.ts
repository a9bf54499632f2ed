import { type AuthFileName, isPortolanError, type SecretStore } from '@portolan/plugin-api';
import {
  parseSecretReference,
  policySecretsIn,
  quote,
  type RunConfig,
  secretOfAuthFile,
} from '@portolan/run-spec';
import type { OpenSecretStore, WorkloadContext } from '../workload-context.ts';
import { chooseProvider, PROVIDER_VARIABLE } from './choose-provider.ts';
import { secretNamesRefused, secretsMissing, secretStoreGone } from './secret-errors.ts';
import { scopedName } from './secret-name.ts';
import { judgeSecretName, type SecretOwner } from './secret-owner.ts';

export type SecretsContext = Pick<WorkloadContext, 'environment' | 'user' | 'kinds'>;

/** Variables with which the user disables the look-up of secrets in the environment. */
const NO_FALLBACK = ['PORTOLAN_DISABLE_ENV_FALLBACK', 'TOOLHIVE_DISABLE_ENV_FALLBACK'] as const;

/** Reader of a secret: a workload, or a build with the user's own settings. */
export type SecretReader = SecretOwner | 'builds';

/**
 * Returns the values of secret references `NAME,target=VARIABLE`, by variable; the last reference to a
 * variable wins. Throws ERR_SECRET_REFERENCE, ERR_SECRETS_NOT_SET_UP, ERR_SECRET_NOT_FOUND with all missing
 * names, and what the store throws.
 */
export async function resolveSecrets(
  references: readonly string[],
  context: SecretsContext,
  owner: SecretOwner,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const parsed = references.map((text) => parseSecretReference(text, '--secret'));
  const names = new Map(parsed.map(({ name, target }) => [target, name]));
  return await resolveNames(names, context, owner, signal);
}

/**
 * Returns the secret values of HTTP headers, by header name. `secrets` maps header names to names of secrets.
 * Throws as `resolveSecrets`.
 */
export async function resolveHeaderSecrets(
  secrets: Readonly<Record<string, string>>,
  context: SecretsContext,
  owner: SecretOwner,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  return await resolveNames(new Map(Object.entries(secrets)), context, owner, signal);
}

/**
 * Checks that every secret in a run config has a value, whether for a variable, a header or a policy. Throws
 * ERR_SECRET_NOT_FOUND with all missing names, and as `resolveSecrets`.
 */
export async function requireSecrets(
  config: RunConfig,
  context: SecretsContext,
  owner: SecretOwner,
  signal: AbortSignal,
): Promise<void> {
  const variables = config.secrets.map((text) => parseSecretReference(text, '--secret'));
  const names = [
    ...new Map(variables.map(({ name, target }) => [target, name])).values(),
    ...Object.values(config.header_forward?.add_headers_from_secret ?? {}),
    ...policySecretsIn(config),
  ];
  await resolveNames(new Map(names.map((name) => [name, name])), context, owner, signal);
}

/** Opens the secret store that the user has chosen. Throws ERR_SECRETS_NOT_SET_UP and ERR_KIND_UNKNOWN. */
export async function openChosenStore(context: SecretsContext): Promise<OpenSecretStore> {
  const { environment, user, kinds } = context;
  const name = chooseProvider({ environment, user });
  try {
    return await kinds.openSecretStore(name);
  } catch (error) {
    if (!isPortolanError(error) || error.code !== 'ERR_KIND_UNKNOWN') throw error;
    throw secretStoreGone(error, Boolean(environment[PROVIDER_VARIABLE]));
  }
}

/**
 * Returns the value of one secret for a reader; undefined if there is none. If the name belongs to the
 * reader, first searches the secrets that Portolan stored. Then searches the user's secrets, and finally the
 * environment. Throws ERR_SECRET_RESERVED, and what the store throws.
 */
export async function findSecret(
  name: string,
  opened: OpenSecretStore,
  context: SecretsContext,
  reader: SecretReader,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { store, can } = opened;
  const isBuild = reader === 'builds';
  const isOwn = isBuild || (await judgeSecretName(name, reader)) === 'own';
  const scoped = scopedName(isBuild ? 'builds' : 'workloads', name);
  const own = isOwn && can.includes('set') ? await store.find(scoped, signal) : undefined;
  return own ?? (await findBareSecret(name, opened, context, signal));
}

/** Returns the value of a user's secret, from the store or else the environment. */
export async function findBareSecret(
  name: string,
  opened: OpenSecretStore,
  context: SecretsContext,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const value = await opened.store.find(name, signal);
  if (value !== undefined) return value;
  return await (await fallbackOf(opened, context))?.find(name, signal);
}

async function fallbackOf(
  { name }: OpenSecretStore,
  { environment, kinds }: SecretsContext,
): Promise<SecretStore | undefined> {
  const isOff = NO_FALLBACK.some((variable) => environment[variable]?.toLowerCase() === 'true');
  if (name === 'environment' || isOff) return undefined;
  return (await kinds.openSecretStore('environment')).store;
}

/** Returns the contents of credentials files for builds, by file. Throws as `resolveSecrets`. */
export async function resolveAuthFiles(
  files: readonly AuthFileName[],
  context: SecretsContext,
  signal: AbortSignal | undefined,
): Promise<Readonly<Partial<Record<AuthFileName, string>>>> {
  const names = new Map(files.map((file) => [file, secretOfAuthFile(file)]));
  return await resolveNames(names, context, 'builds', signal);
}

/**
 * Returns the values of secrets by target, such as a variable. `names` maps targets to names of secrets.
 * Throws as `resolveSecrets`.
 */
export async function resolveNames(
  names: ReadonlyMap<string, string>,
  context: SecretsContext,
  reader: SecretReader,
  signal: AbortSignal | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (names.size === 0) return {};
  const opened = await openChosenStore(context);
  const values = new Map<string, string>();
  const [missing, refused]: [string[], string[]] = [[], []];
  let hint = '';
  for (const name of new Set(names.values())) {
    try {
      const value = await findSecret(name, opened, context, reader, signal);
      if (value === undefined) missing.push(name);
      else values.set(name, value);
    } catch (error) {
      if (!isPortolanError(error) || error.code !== 'ERR_SECRET_NAME') throw error;
      refused.push(`${quote(name)}: ${error.message}`);
      hint = error.hint ?? '';
    }
  }
  if (refused.length > 0) throw secretNamesRefused(refused, hint);
  if (missing.length > 0) throw secretsMissing(missing, opened.name);
  return Object.fromEntries([...names].map(([target, name]) => [target, values.get(name) ?? '']));
}
