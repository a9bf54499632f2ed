import { badPermissionProfile } from './permission-errors.ts';
import { textOf } from '../parse/text-of.ts';
import {
  formatVolume,
  type PathContext,
  parseProfileMount,
  parseVolume,
  type Volume,
} from '../parse/volume.ts';
import type { PermissionProfile } from './permission-profile.ts';

export interface ProfileMounts {
  readonly mounts: readonly Volume[];
  readonly warnings: readonly string[];
}

/**
 * Returns the mounts of a profile, one per container path. A path in both `read` and `write` is writable. If
 * two host paths have the same container path, the first one wins. Throws ERR_PERMISSION_PROFILE.
 */
export function mountsOfProfile(
  profile: PermissionProfile,
  place: string,
  context: PathContext,
): ProfileMounts {
  const mounts = new Map<string, Volume>();
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const [key, readOnly] of [
    ['read', true],
    ['write', false],
  ] as const) {
    for (const [index, text] of (profile[key] ?? []).entries()) {
      try {
        const mount = parseProfileMount(text, `${key}[${index}]`, readOnly, context);
        const fault =
          mount === undefined
            ? 'it is no address volume://NAME:/path with a name of two characters or more'
            : keep(mounts, mount);
        if (fault !== undefined) warnings.push(`${place}: ${text} is not mounted: ${fault}.`);
      } catch (error) {
        problems.push(textOf(error));
      }
    }
  }
  if (problems.length > 0) throw badPermissionProfile(place, problems);
  return { mounts: [...mounts.values()], warnings };
}

/** Adds a mount. Returns why it was ignored; undefined when it was added. */
function keep(mounts: Map<string, Volume>, mount: Volume): string | undefined {
  const { host, container, readOnly } = mount;
  const earlier = mounts.get(container);
  if (earlier !== undefined && earlier.host !== host)
    return `${earlier.host} is mounted at ${container} already`;
  mounts.set(container, { ...mount, readOnly: readOnly && earlier?.readOnly !== false });
  return undefined;
}

/**
 * Makes host paths absolute, so that they do not depend on the working directory. Throws
 * ERR_PERMISSION_PROFILE.
 */
export function withWholePaths(
  profile: PermissionProfile,
  place: string,
  context: PathContext,
): PermissionProfile {
  mountsOfProfile(profile, place, context); // reports every problem at once
  const whole = (texts: readonly string[]): readonly string[] =>
    texts.map((text) => {
      if (text.startsWith('/')) return text;
      const mount = parseProfileMount(text, place, false, context);
      return mount === undefined ? text : formatVolume(mount);
    });
  const { read, write } = profile;
  return {
    ...profile,
    ...(read === undefined ? {} : { read: whole(read) }),
    ...(write === undefined ? {} : { write: whole(write) }),
  };
}

export interface ProfileWithVolumes {
  readonly profile: PermissionProfile;
  readonly warnings: readonly string[];
}

/**
 * Adds the mounts of `--volume` to a profile. If a container path is already mounted, the existing mount
 * stays, with a warning. `flag` names the origin of the volumes. Throws ERR_SETTING and
 * ERR_PERMISSION_PROFILE.
 */
export function addVolumes(
  profile: PermissionProfile,
  volumes: readonly string[],
  context: PathContext,
  place: string = profile.name ?? 'the permission profile',
  flag = '--volume',
): ProfileWithVolumes {
  const { mounts, warnings: ofProfile } = mountsOfProfile(profile, place, context);
  const taken = new Map(mounts.map((mount) => [mount.container, formatVolume(mount)]));
  const whole = withWholePaths(profile, place, context);
  const read = [...(whole.read ?? [])];
  const write = [...(whole.write ?? [])];
  const warnings = [...ofProfile];
  for (const text of volumes) {
    const volume = parseVolume(text, flag, context);
    const earlier = taken.get(volume.container);
    // A profile that was exported before already contains these mounts.
    if (earlier === formatVolume(volume)) continue;
    if (earlier !== undefined) {
      warnings.push(`${text} is not mounted: something is mounted at ${volume.container} already.`);
      continue;
    }
    taken.set(volume.container, formatVolume(volume));
    (volume.readOnly ? read : write).push(formatVolume({ ...volume, readOnly: false }));
  }
  return { profile: { ...profile, read, write }, warnings };
}
