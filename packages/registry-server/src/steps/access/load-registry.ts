import type { Catalog, RegistryReader } from '@portolan/registry';
import { registryNotFound } from './access-errors.ts';
import { registryName } from '../../parameters/path-parameters.ts';
import type { RequestState } from '../../request/request-state.ts';
import { type Step, step } from '../../request/route.ts';

/** Path parameters of routes that only name a registry. */
export const registryPath = { registryName };

/** Looks up the registry of the path in the current catalog. Throws ERR_REGISTRY_NOT_FOUND. */
export function loadRegistry(reader: RegistryReader): Step {
  return step('loadRegistry', async ({ state }) => {
    state.catalog ??= await reader.catalog(); // authenticate may have loaded it
    findRegistry(state, state.catalog);
  });
}

/**
 * Continues with the cached catalog and records how to verify it. Responses without entries must verify it,
 * and so does `runSteps` before a step may refuse the request.
 */
export function loadKnownRegistry(reader: RegistryReader): Step {
  const confirm = async (state: RequestState): Promise<boolean> => {
    const known = state.catalog;
    state.confirmCatalog = undefined;
    state.catalog = await reader.catalog();
    return state.catalog === known;
  };
  const { name, run } = loadRegistry(reader);
  return step(name, (ctx) => {
    const { state } = ctx;
    const known = state.catalog === undefined ? reader.knownCatalog() : undefined;
    if (known === undefined) return run(ctx);
    state.catalog = known;
    state.confirmCatalog = confirm;
    return findRegistry(state, known);
  });
}

function findRegistry(state: RequestState, { registries }: Catalog): void {
  const name = state.pathText['registryName'] ?? '';
  state.registry = registries.get(name);
  if (state.registry === undefined) throw registryNotFound(name);
}
