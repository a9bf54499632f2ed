import type { RegistryReader } from '@portolan/registry';
import { registryNotFound } from '../errors.ts';
import { registryName } from '../parameters/path-parameters.ts';
import { type Step, step } from '../request/route.ts';

/** Path parameters of routes that only name a registry. */
export const registryPath = { registryName };

/** Finds the registry of the path in the catalog as of this request. Throws ERR_REGISTRY_NOT_FOUND. */
export function loadRegistry(reader: RegistryReader): Step {
  return step('loadRegistry', async ({ state }) => {
    state.catalog ??= await reader.catalog(); // authenticate may have asked
    const name = state.pathText['registryName'] ?? '';
    state.registry = state.catalog.registries.get(name);
    if (state.registry === undefined) throw registryNotFound(name);
  });
}
