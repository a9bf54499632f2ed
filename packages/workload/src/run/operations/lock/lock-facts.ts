import {
  digestValue,
  type LockedDefinitions,
  type Resolved,
  sourceOf,
  type WorkloadFacts,
} from '@portolan/lock';
import { isVirtualServer, type RunConfig } from '@portolan/run-spec';
import type { StoredWorkload } from '../../../state/workload-store.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { findPackageIntegrity } from './package-integrity.ts';

/** Facts about what a workload runs, from its files and the index of its package. */
export interface LockFacts {
  readonly facts: WorkloadFacts;
  /** Undefined for a remote server, and for an image or package without a digest that every machine shares. */
  readonly resolved: Resolved | undefined;
}

/** Source of a virtual server, which has members and no target. */
const VIRTUAL = 'virtual-server';

/**
 * Returns the facts of a workload for its lock. They are the same on every machine. Throws the errors of a look-up in
 * the package index, which is necessary only for a version that the lock does not have.
 */
export async function findLockFacts(
  { config, state }: StoredWorkload & { readonly config: RunConfig },
  previous: LockedDefinitions | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<LockFacts> {
  const profile = profileDigestOf(config);
  const entry = previous?.workload.entry;
  const facts: WorkloadFacts = {
    source: targetOf(config),
    ...(entry === undefined ? {} : { entry }),
    ...(profile === undefined ? {} : { profile }),
  };
  const digest = state?.imageDigest ?? '';
  // An image that was built on this machine has an id, without `NAME@` in front, that no other machine has.
  if (digest.includes('@'))
    return { facts, resolved: { image: config.image, digest: digest.slice(digest.lastIndexOf('@') + 1) } };
  const resolved = await findPackageIntegrity(config, previous?.workload.resolved, context, signal);
  return { facts, resolved };
}

function targetOf(config: RunConfig): string {
  if (isVirtualServer(config)) return VIRTUAL;
  const { run_target: target, remote_url: url, image } = config;
  return sourceOf(url || target || image);
}

/** Returns the digest of the network permissions. It leaves out mounts, which are paths of this machine. */
function profileDigestOf({ permission_profile: profile }: RunConfig): string | undefined {
  if (profile === undefined) return undefined;
  const { network, privileged } = profile;
  const digest = digestValue({ network, privileged });
  return 'digest' in digest ? digest.digest : undefined;
}
