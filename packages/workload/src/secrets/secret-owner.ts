import {
  findSecretReference,
  isBuildSecret,
  isLoginOf,
  isLoginSecret,
  isSystemSecret,
  isWorkloadSecret,
  policySecretsIn,
  type RunConfig,
  secretNamesIn,
} from '@portolan/run-spec';
import { valueConfigsOf } from '../state/member-config.ts';
import type { StoredWorkload } from '../state/workload-store.ts';
import { secretReserved } from './secret-errors.ts';

/** Workload that reads a secret, with the facts that decide which stored secrets belong to it. */
export interface SecretOwner {
  readonly workload: string;
  /** Names of secrets that Portolan stored for this workload. */
  readonly own: ReadonlySet<string>;
  readonly listWorkloads: () => Promise<readonly Pick<StoredWorkload, 'name' | 'config'>[]>;
}

/**
 * How to look up a secret. `own` first searches the secrets that Portolan stored, `bare` only those of the
 * user.
 */
export type SecretAccess = 'own' | 'bare';

/**
 * Returns how a workload may look up the secret of this name. Throws ERR_SECRET_RESERVED for secrets of
 * Portolan itself, of builds and of other workloads.
 */
export async function judgeSecretName(name: string, owner: SecretOwner): Promise<SecretAccess> {
  if (isSystemSecret(name) || isBuildSecret(name)) throw secretReserved(name, 'Portolan itself');
  if (!isWorkloadSecret(name)) return 'bare';
  if (owner.own.has(name)) return 'own';
  const workloads = await owner.listWorkloads();
  const other = findOther(name, owner.workload, workloads);
  if (other !== undefined) throw secretReserved(name, `the workload ${other}`);
  if (isLoginSecret(name) && !isLoginOf(name, owner.workload)) {
    throw secretReserved(name, 'the login of another workload');
  }
  return owner.workload === '' ? 'bare' : 'own';
}

/**
 * Throws ERR_SECRET_RESERVED for the first secret in the run config that the workload may not read. Ignores
 * references of an earlier login: if its secrets belong to another workload, the user logs in again.
 */
export async function requireOwnSecrets(config: RunConfig, owner: SecretOwner): Promise<void> {
  const names = [config, ...valueConfigsOf(config).values()].flatMap(readableSecretsIn);
  for (const name of new Set(names)) await judgeSecretName(name, owner);
}

function readableSecretsIn(config: RunConfig): readonly string[] {
  const variables = config.secrets.map((text) => findSecretReference(text)?.name ?? text);
  const headers = Object.values(config.header_forward?.add_headers_from_secret ?? {});
  return [...variables, ...headers, ...policySecretsIn(config)];
}

/**
 * Returns the secret owner for a stored workload. All secrets that the run config names belong to the
 * workload.
 */
export function storedOwner(config: RunConfig, store: WorkloadList): SecretOwner {
  return ownerOf(config.name, secretNamesIn(config), store);
}

/**
 * Returns the owner of a workload's secrets. `own` names the secrets that Portolan stores for the workload in
 * this run.
 */
export function ownerOf(workload: string, own: Iterable<string>, store: WorkloadList): SecretOwner {
  return { workload, own: new Set(own), listWorkloads: () => store.list() };
}

/** Secret owner for settings that only the user writes. It gives no access to the secrets of workloads. */
export const USER_SETTINGS: SecretOwner = {
  workload: '',
  own: new Set(),
  listWorkloads: () => Promise.resolve([]),
};

interface WorkloadList {
  list(): Promise<readonly Pick<StoredWorkload, 'name' | 'config'>[]>;
}

/**
 * Returns the name of another workload to which the secret belongs: its run config names the secret, or the
 * secret's name ends with the workload's name. If several names match, the longest name counts.
 */
function findOther(
  name: string,
  workload: string,
  workloads: readonly Pick<StoredWorkload, 'name' | 'config'>[],
): string | undefined {
  const others = workloads.filter((one) => one.name !== workload);
  const user = others.find(({ config }) => config !== undefined && secretNamesIn(config).includes(name));
  if (user !== undefined) return user.name;
  const [named] = [workload, ...others.map((one) => one.name)]
    .filter((one) => one !== '' && (name.endsWith(`_${one}`) || name.endsWith(`@${one}`)))
    .toSorted((one, other) => other.length - one.length);
  return named === workload ? undefined : named;
}
