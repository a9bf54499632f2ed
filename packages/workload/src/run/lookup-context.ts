import path from 'node:path';
import { CatalogueCache, type LookupContext } from '@portolan/registry-client';
import { findLoginAccess, type RegistryLoginContext } from '../registry-login/login-access.ts';
import { writeAtomically } from '../state/write-atomically.ts';
import type { WorkloadContext } from '../workload-context.ts';

export type RunLookupContext = RegistryLoginContext &
  Pick<WorkloadContext, keyof Omit<LookupContext, 'cache' | 'findLogin'>>;

/** Catalogue caches by context. A cache is garbage-collected together with its context. */
const CACHES = new WeakMap<object, CatalogueCache>();

export function lookupContextOf(context: RunLookupContext): LookupContext {
  const { directories, clock, logger, environment, openFetch, user, version, workingDirectory } = context;
  const folder = path.join(path.dirname(directories.statuses), 'cache', 'registries');
  const cache = CACHES.get(context) ?? new CatalogueCache({ folder, clock, logger, write: writeAtomically });
  CACHES.set(context, cache);
  const findLogin = (registry: URL): ReturnType<typeof findLoginAccess> => findLoginAccess(registry, context);
  return { clock, logger, environment, openFetch, user, version, workingDirectory, cache, findLogin };
}
