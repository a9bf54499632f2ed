import { type RunConfig, findSecretReference, isJsonObject, runConfigDocument } from '@portolan/run-spec';
import type { WorkloadStore } from '../state/workload-store.ts';

/** Returns the names of workloads that use a secret. Ignores unreadable run configs. */
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

/**
 * Returns whether any text in a run config is a reference to the secret. Searches all fields, because several
 * contain references.
 */
function refersTo(value: unknown, name: string): boolean {
  if (typeof value === 'string') return findSecretReference(value)?.name === name;
  if (Array.isArray(value)) return value.some((item) => refersTo(item, name));
  return isJsonObject(value) && Object.values(value).some((member) => refersTo(member, name));
}
