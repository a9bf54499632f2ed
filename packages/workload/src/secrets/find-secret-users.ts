import { type RunConfig, findSecretReference, isJsonObject, runConfigDocument } from '@portolan/run-spec';
import type { WorkloadStore } from '../state/workload-store.ts';

/** Names of the workloads that are run with a secret, as far as their run configs can be read. */
export async function findSecretUsers(
  name: string,
  store: Pick<WorkloadStore, 'list'>,
): Promise<readonly string[]> {
  const workloads = await store.list();
  return workloads.flatMap(({ name: workload, config }) =>
    config !== undefined && usesSecret(config, name) ? [workload] : [],
  );
}

function usesSecret(config: RunConfig, name: string): boolean {
  const headers = Object.values(config.header_forward?.add_headers_from_secret ?? {});
  return headers.includes(name) || refersTo(runConfigDocument(config), name);
}

/** References stand in several fields; a text that reads as one of this name is one. */
function refersTo(value: unknown, name: string): boolean {
  if (typeof value === 'string') return findSecretReference(value)?.name === name;
  if (Array.isArray(value)) return value.some((item) => refersTo(item, name));
  return isJsonObject(value) && Object.values(value).some((member) => refersTo(member, name));
}
