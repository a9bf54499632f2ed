import { isPortolanError, type UndoStack } from '@portolan/plugin-api';
import {
  findSecretReference,
  isVirtualServer,
  isWorkloadSecret,
  policySecretsIn,
  remoteAuthOf,
  secretNamesIn,
  type RunConfig,
} from '@portolan/run-spec';
import { ownerOf, type SecretOwner } from '../../secrets/secret-owner.ts';
import { valueConfigsOf } from '../../state/member-config.ts';
import { nameMember } from '../members/name-member.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { NamedSecret, SettledRun } from './settled-run.ts';

/** Secret values of a run. They are never written to a file. */
export interface SecretValues {
  readonly secrets: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of the secrets to which policies refer, by the name of the secret. */
  readonly policySecrets: Readonly<Record<string, string>>;
}

/** Returns a stored secret; undefined when the secret or the store does not exist. */
export async function findStoredSecret(
  name: string,
  context: WorkloadContext,
  owner: SecretOwner,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { findSecret, openChosenStore } = await import('../../secrets/resolve-secrets.ts');
  try {
    return await findSecret(name, await openChosenStore(context), context, owner, signal);
  } catch (error) {
    if (isPortolanError(error) && ['ERR_SECRETS_NOT_SET_UP', 'ERR_SECRET_NAME'].includes(error.code)) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Stores secrets. If the run fails, restores earlier values and removes new secrets that no other workload
 * uses.
 */
export async function storeRunSecrets(
  secrets: readonly NamedSecret[],
  context: WorkloadContext,
  undo: UndoStack,
  signal: AbortSignal,
): Promise<void> {
  if (secrets.length === 0) return;
  const { findOwnSecret, storeSecrets } = await import('../../secrets/store-secrets.ts');
  const [earlier, added]: [NamedSecret[], string[]] = [[], []];
  for (const { name } of secrets) {
    const value = await findOwnSecret(name, 'workloads', context, signal);
    if (value === undefined) added.push(name);
    else earlier.push({ name, value });
  }
  undo.push('secrets', async () => {
    const { signal: unaborted } = new AbortController();
    await storeSecrets(earlier, context, { scope: 'workloads', signal: unaborted });
    await dropSecrets(added, context, unaborted);
  });
  await storeSecrets(secrets, context, { scope: 'workloads', signal });
}

/** Deletes secrets that Portolan stored and that no workload refers to. */
export async function dropSecrets(
  names: readonly string[],
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  if (names.length === 0) return;
  const { deleteOwnSecrets } = await import('../../secrets/store-secrets.ts');
  const { findSecretUsers } = await import('../../secrets/find-secret-users.ts');
  const users = await Promise.all(names.map((name) => findSecretUsers(name, context.store)));
  const unused = names.filter((_, index) => users[index]?.length === 0);
  await deleteOwnSecrets(unused, 'workloads', context, signal);
}

/**
 * Returns the values of all secret references, also those of members. `owner` is the workload that reads them.
 * Throws ERR_SECRET_RESERVED and the errors of the secret store.
 */
export async function resolveSecretValues(
  config: RunConfig,
  context: WorkloadContext,
  owner: SecretOwner,
  signal: AbortSignal,
): Promise<WorkloadSecretValues> {
  const own = await resolveServerValues(config, context, owner, signal);
  if (!isVirtualServer(config)) return own;
  const members: { [member: string]: SecretValues } = {};
  for (const [member, server] of valueConfigsOf(config)) {
    members[member] = await nameMember(
      member,
      async () => await resolveServerValues(server, context, owner, signal),
    );
  }
  return { ...own, members };
}

/** Secret values of a workload, and those of its members by name. */
export interface WorkloadSecretValues extends SecretValues {
  readonly members?: Readonly<Record<string, SecretValues>>;
}

async function resolveServerValues(
  config: RunConfig,
  context: WorkloadContext,
  owner: SecretOwner,
  signal: AbortSignal,
): Promise<SecretValues> {
  const headers = config.header_forward?.add_headers_from_secret ?? {};
  const names = policySecretsIn(config);
  await openForLogin(config, context, owner, signal);
  if (config.secrets.length === 0 && Object.keys(headers).length === 0 && names.length === 0) {
    return { secrets: {}, headers: await withBearer({}, config, {}, context), policySecrets: {} };
  }
  const { requireSecrets, resolveHeaderSecrets, resolveNames, resolveSecrets } = await import(
    '../../secrets/resolve-secrets.ts'
  );
  await requireSecrets(config, context, owner, signal);
  const byName = new Map(names.map((name) => [name, name]));
  const policySecrets = await resolveNames(byName, context, owner, signal);
  return {
    secrets: await resolveSecrets(config.secrets, context, owner, signal),
    headers: await withBearer(
      await resolveHeaderSecrets(headers, context, owner, signal),
      config,
      policySecrets,
      context,
    ),
    policySecrets,
  };
}

/**
 * Opens the secret store now, while the user can enter its password. The supervisor cannot ask for the
 * password when it later stores renewed tokens.
 */
async function openForLogin(
  config: RunConfig,
  context: WorkloadContext,
  owner: SecretOwner,
  signal: AbortSignal,
): Promise<void> {
  const { login } = remoteAuthOf(config);
  const reference = login?.refreshToken ?? login?.accessToken;
  const name = reference === undefined ? undefined : findSecretReference(reference)?.name;
  if (config.remote_url === '' || name === undefined) return;
  const { findLoginSecret } = await import('../../secrets/store-secrets.ts');
  await findLoginSecret(name, context, owner, signal);
}

/** Adds the bearer token for the remote server, if the workload uses no login. Throws ERR_TOKEN_FILE. */
async function withBearer(
  headers: Readonly<Record<string, string>>,
  config: RunConfig,
  secrets: Readonly<Record<string, string>>,
  { environment }: WorkloadContext,
): Promise<Readonly<Record<string, string>>> {
  if (config.remote_url === '') return headers;
  const { findBearerToken } = await import('../../login/remote-secrets.ts');
  const token = await findBearerToken(config, secrets, environment);
  return token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` };
}

export function ownSecretsOf(config: RunConfig): readonly string[] {
  return secretNamesIn(config).filter((name) => isWorkloadSecret(name));
}

export function ownerOfRun({ config, secrets }: SettledRun, store: WorkloadContext['store']): SecretOwner {
  return ownerOf(
    config.name,
    secrets.map(({ name }) => name),
    store,
  );
}
