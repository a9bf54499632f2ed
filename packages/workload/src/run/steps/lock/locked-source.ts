import type { Resolved } from '@portolan/lock';
import { findImageReference } from '@portolan/outbound';
import type { MergedSettings, RunConfig } from '@portolan/run-spec';
import { hasLockFile } from '../../../state/lock-place.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { describeSource, type ImageSource } from '../image-source.ts';
import { nameFlag } from '../name-flag.ts';
import { sourceNotLocked } from './lock-errors.ts';

export interface LockedSource {
  readonly source: ImageSource | undefined;
  /** Reference by digest that the lock file names; undefined without a locked image. */
  readonly pinned: string | undefined;
  readonly warnings: readonly string[];
}

type LockSettings = Pick<RunConfig, 'name' | 'lock_file' | 'drift' | 'frozen'>;

/** Works like `lockSource`, with the settings of a run. Errors name the flag if it has one. */
export async function lockSourceOfRun(
  source: ImageSource | undefined,
  { name, lock, drift, frozen }: Pick<MergedSettings, 'name' | 'lock' | 'drift' | 'frozen'>,
  context: Pick<WorkloadContext, 'directories'>,
): Promise<LockedSource> {
  const settings = { name: name.value, lock_file: lock.value, drift: drift.value, frozen: frozen.value };
  const read = (): Promise<LockedSource> => lockSource(source, settings, context);
  return lock.from === 'flag' ? await nameFlag('lock', read) : await read();
}

/**
 * Returns the image source with the package version or image digest that the lock file resolves it to. Throws
 * ERR_DRIFT_REFUSED for a source that the lock file does not have, unless changes are only reported;
 * ERR_NOT_LOCKED for a frozen workload that is not in the lock file; and the errors of a damaged lock file.
 */
export async function lockSource(
  source: ImageSource | undefined,
  settings: LockSettings,
  { directories }: Pick<WorkloadContext, 'directories'>,
): Promise<LockedSource> {
  const asIs = { source, pinned: undefined, warnings: [] };
  if (!settings.frozen && !(await hasLockFile(settings, directories))) return asIs;
  // Loaded on demand, because most workloads have no lock.
  const { readDriftRule } = await import('../../../supervisor/drift/read-drift-rule.ts');
  const { file, isLocked, reaction, baseline } = await readDriftRule(settings, directories);
  const resolved = baseline?.resolved ?? undefined;
  if (!isLocked || resolved === undefined || source === undefined) return asIs;
  const locked = pinSource(source, resolved);
  if (locked !== undefined) return { ...locked, warnings: [] };
  const error = sourceNotLocked(settings.name, {
    file,
    locked: describe(resolved),
    requested: describeSource(source),
  });
  if (reaction !== 'warn') throw error;
  return { ...asIs, warnings: [error.message] };
}

/** Returns a source with the version or digest of the lock file. Undefined for another package, version or image. */
function pinSource(source: ImageSource, resolved: Resolved): Omit<LockedSource, 'warnings'> | undefined {
  if (source.form === 'image') {
    if (!('image' in resolved) || resolved.image !== source.reference) return undefined;
    return { source, pinned: byDigest(resolved.image, resolved.digest) };
  }
  if (!('package' in resolved) || source.reference.from !== 'index') return undefined;
  const { name, version, pinned } = source.reference;
  if (name !== resolved.package || (pinned && version !== resolved.version)) return undefined;
  const reference = { ...source.reference, version: resolved.version, pinned: true };
  return { source: { ...source, reference, integrity: resolved.integrity }, pinned: undefined };
}

/** Returns an image reference with this digest, and without a tag. */
function byDigest(image: string, digest: string): string {
  const { registry, repository } = findImageReference(image) ?? { repository: image };
  return `${registry === undefined ? '' : `${registry}/`}${repository}@${digest}`;
}

function describe(resolved: Resolved): string {
  return 'image' in resolved
    ? `${resolved.image} with the digest ${resolved.digest}`
    : `${resolved.package}@${resolved.version}`;
}
