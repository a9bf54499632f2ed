import path from 'node:path';
import { CatalogueCache, type LookupContext } from '@portolan/registry-client';
import { findLoginAccess, type RegistryLoginContext } from '../registry-login/login-access.ts';
import { writeAtomically } from '../state/write-atomically.ts';
import type { WorkloadContext } from '../workload-context.ts';

/** What a context of workloads has of what a look-up takes. */
export type LookupSurroundings = RegistryLoginContext &
  Pick<WorkloadContext, keyof Omit<LookupContext, 'cache' | 'findLogin'>>;

/** One cache for all look-ups with one context; whoever has made the context lets go of both. */
const CACHES = new WeakMap<object, CatalogueCache>();

/**
 * What looking servers up takes from the context of workloads. Answers are kept
 * beside the other data, so that they are where the user wants data to be.
 */
export function lookupContextOf(context: LookupSurroundings): LookupContext {
  const { directories, clock, logger, environment, openFetch, user, version, workingDirectory } = context;
  const folder = path.join(path.dirname(directories.statuses), 'cache', 'registries');
  const cache = CACHES.get(context) ?? new CatalogueCache({ folder, clock, logger, write: writeAtomically });
  CACHES.set(context, cache);
  const findLogin = (registry: URL): ReturnType<typeof findLoginAccess> => findLoginAccess(registry, context);
  return { clock, logger, environment, openFetch, user, version, workingDirectory, cache, findLogin };
}
