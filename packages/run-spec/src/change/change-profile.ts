import { parsePublishedPort } from '../parse/published-port.ts';
import { formatVolume, type PathContext, parseProfileMount, parseVolume } from '../parse/volume.ts';
import { findBuiltInProfile, type PermissionProfile } from '../permissions/permission-profile.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import { findUnset, type Unset } from './run-change.ts';
import type { RunFlags } from '../settings/run-flags.ts';

/** Placeholder name for the permission profile that a workload already has. No file of this name is read. */
export const STORED_PROFILE = 'permission_profile';

export interface ContainerChange {
  readonly config: RunConfig;
  readonly flags: RunFlags;
  readonly unset: readonly Unset[];
  readonly context: PathContext;
}

/** Merges the stored volumes with those of the flags, one per container path. Throws ERR_SETTING. */
export function changeVolumes({ config, flags, unset, context }: ContainerChange): readonly string[] {
  const containerOf = (text: string): string => parseVolume(text, '--volume', context).container;
  return changeItems(config.volumes, flags.volumes, {
    keyOf: containerOf,
    unset: findUnset(unset, 'volumes'),
  });
}

/** Merges the stored ports with those of the flags, one per container port. Throws ERR_SETTING. */
export function changePorts({ config, flags, unset }: ContainerChange): readonly string[] {
  const portOf = (text: string): string => String(parsePublishedPort(text, '--publish').containerPort);
  return changeItems(config.publish, flags.publish, { keyOf: portOf, unset: findUnset(unset, 'publish') });
}

interface Items {
  readonly keyOf: (item: string) => string;
  readonly unset: readonly Unset[];
}

function changeItems(
  stored: readonly string[],
  inputs: readonly string[] = [],
  { keyOf, unset }: Items,
): readonly string[] {
  const removesAll = unset.some(({ item }) => item === undefined);
  const gone = new Set([...unset.map(({ item }) => item), ...inputs.map(keyOf)]);
  return [...stored.filter((item) => !removesAll && !gone.has(keyOf(item))), ...inputs];
}

/**
 * Returns the profile without the mounts that `--volume` added, and without mounts at paths of changed
 * volumes. The caller adds the mounts of the changed volumes.
 */
export function baseProfile(change: ContainerChange): PermissionProfile {
  const { config, flags, unset, context } = change;
  const profile = config.permission_profile ?? {};
  const volumes = config.volumes.map((text) => parseVolume(text, '--volume', context));
  const added = new Set(volumes.map((volume) => formatVolume({ ...volume, readOnly: false })));
  const replaced = new Set([
    ...(flags.volumes ?? []).map((text) => parseVolume(text, '--volume', context).container),
    ...findUnset(unset, 'volumes').map(({ item }) => item),
  ]);
  const isKept = (text: string): boolean => {
    const mount = parseProfileMount(text, STORED_PROFILE, false, context);
    return mount === undefined || (!added.has(formatVolume(mount)) && !replaced.has(mount.container));
  };
  return {
    ...profile,
    ...(profile.read === undefined ? {} : { read: profile.read.filter(isKept) }),
    ...(profile.write === undefined ? {} : { write: profile.write.filter(isKept) }),
    ...withoutMode(profile, findUnset(unset, 'network').length > 0),
  };
}

function withoutMode({ network }: PermissionProfile, isUnset: boolean): Pick<PermissionProfile, 'network'> {
  if (network === undefined || !isUnset) return network === undefined ? {} : { network };
  const { mode: _, ...rest } = network;
  return { network: rest };
}

/**
 * Returns the network mode of `--network`, else the stored mode. Ignores a stored mode from a permissions
 * file, which belongs to the file.
 */
export function keptNetwork({ config, flags, unset }: ContainerChange): string | undefined {
  const { permission_profile: profile, permission_profile_name_or_path: named } = config;
  const isOfFlag = findBuiltInProfile(named) !== undefined;
  if (flags.network !== undefined || findUnset(unset, 'network').length > 0 || !isOfFlag)
    return flags.network;
  const mode = profile?.network?.mode ?? '';
  return mode === '' ? undefined : mode;
}
