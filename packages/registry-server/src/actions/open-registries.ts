import type { AccessPolicy } from '@portolan/authorization';
import type { Caller } from '@portolan/plugin-api';
import type { RegistryReader } from '@portolan/registry';

/** Names of the registries whose gate the caller passes, in the order of the catalog. */
export async function openRegistries(
  reader: RegistryReader,
  policy: AccessPolicy,
  caller: Caller | undefined,
): Promise<readonly string[]> {
  const { registries } = await reader.catalog();
  return [...registries.values()]
    .filter((registry) => policy.decideRegistryAccess(caller, registry).allowed)
    .map(({ name }) => name);
}
