import type { Catalog, RegistryReader } from '@portolan/registry';
import { registryNotFound } from './access-errors.ts';
import { registryName } from '../parameters/path-parameters.ts';
import type { RequestState } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';

/** Path parameters of routes that only name a registry. */
export const registryPath = { registryName };

/** Finds the registry of the path in the catalog as of this request. Throws ERR_REGISTRY_NOT_FOUND. */
export function loadRegistry(reader: RegistryReader): Step {
  return step('loadRegistry', async ({ state }) => {
    state.catalog ??= await reader.catalog(); // authenticate may have asked
    findRegistry(state, state.catalog);
  });
}

/**
 * The same for a route whose answer tells by itself whether the catalog is the
 * newest: it goes on with the one that is known, and leaves in the state how to
 * ask. Whoever answers without the entries has to ask, and so does `runSteps`
 * before it lets anything be refused.
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
