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

/** What the files of a workload, and the index of its package, say about what it runs. */
export interface LockFacts {
  readonly facts: WorkloadFacts;
  /** Undefined for a remote server, and for an image or package without a digest that every machine shares. */
  readonly resolved: Resolved | undefined;
}

/** Source of a virtual server, which has members and no target. */
const VIRTUAL = 'virtual-server';

/**
 * Returns the facts of a workload for its lock. Nothing in it depends on the machine. Throws the errors of a look-up in
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
  // The id of an image that was built on this machine has no name before it.
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

/** Returns the digest of the network permissions. Mounts are paths of this machine. */
function profileDigestOf({ permission_profile: profile }: RunConfig): string | undefined {
  if (profile === undefined) return undefined;
  const { network, privileged } = profile;
  const digest = digestValue({ network, privileged });
  return 'digest' in digest ? digest.digest : undefined;
}
