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
import type { StoredWorkload } from '../state/workload-store.ts';
import { secretReserved } from './secret-errors.ts';

/** Workload that reads a secret, with the facts that decide which stored secrets belong to it. */
export interface SecretOwner {
  readonly workload: string;
  /** Names of secrets that Portolan stored for this workload. */
  readonly own: ReadonlySet<string>;
  readonly listWorkloads: () => Promise<readonly Pick<StoredWorkload, 'name' | 'config'>[]>;
}

/** Lookup of a secret: `own` also searches Portolan's own secrets, `bare` only those of the user. */
export type SecretAccess = 'own' | 'bare';

/**
 * Decides how a workload may read the secret of this name. Throws ERR_SECRET_RESERVED for secrets of Portolan
 * itself, of builds and of other workloads.
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
  const variables = config.secrets.map((text) => findSecretReference(text)?.name ?? text);
  const headers = Object.values(config.header_forward?.add_headers_from_secret ?? {});
  for (const name of new Set([...variables, ...headers, ...policySecretsIn(config)])) {
    await judgeSecretName(name, owner);
  }
}

/** Returns the owner for a stored workload: all secrets that its run config names belong to it. */
export function storedOwner(config: RunConfig, store: WorkloadList): SecretOwner {
  return ownerOf(config.name, secretNamesIn(config), store);
}

/** Returns the owner for a workload with the secrets that Portolan stores for it in this run. */
export function ownerOf(workload: string, own: Iterable<string>, store: WorkloadList): SecretOwner {
  return { workload, own: new Set(own), listWorkloads: () => store.list() };
}

/** Reader for settings that only the user writes. Secrets of workloads are not accessible. */
export const USER_SETTINGS: SecretOwner = {
  workload: '',
  own: new Set(),
  listWorkloads: () => Promise.resolve([]),
};

interface WorkloadList {
  list(): Promise<readonly Pick<StoredWorkload, 'name' | 'config'>[]>;
}

/** Returns the other workload that uses the secret, or whose name is the longest matching suffix of it. */
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
