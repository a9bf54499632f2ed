import { lstat, readlink } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerMount } from '@portolan/plugin-api';
import { mountChanged, mountMissing, mountReplaceable } from './container-errors.ts';

/** Real paths of host paths that are mounted, by host path. */
export type MountPaths = Readonly<Record<string, string>>;

type BindMount = Extract<ContainerMount, { readonly type: 'bind' }>;

interface ResolvedMount {
  readonly mount: BindMount;
  readonly real: string;
  /** Every path on the way to the mounted path, including symbolic links. */
  readonly places: readonly string[];
}

/** Maximum number of symbolic links in one path, as on Linux. */
const MAX_LINKS = 40;

/**
 * Returns the real paths of the mounts of one workload. Throws ERR_MOUNT_MISSING, and ERR_MOUNT_CHANGED for a
 * mount that the workload itself could redirect to another place.
 */
export async function resolveMounts(mounts: readonly ContainerMount[]): Promise<MountPaths> {
  const binds = mounts.filter((mount) => mount.type === 'bind');
  const resolved = await Promise.all(binds.map(resolveMount));
  for (const one of resolved) {
    const folder = resolved.find((other) => !other.mount.readOnly && canRedirect(other, one));
    if (folder !== undefined) throw mountReplaceable(one.mount.source, folder.mount.source);
  }
  return Object.fromEntries(resolved.map(({ mount, real }) => [mount.source, real]));
}

/** Throws ERR_MOUNT_CHANGED when a host path leads elsewhere than `recorded` says. */
export function requireSamePaths(match: MountPaths, recorded: MountPaths): void {
  for (const [source, real] of Object.entries(match)) {
    const expected = Object.hasOwn(recorded, source) ? recorded[source] : undefined;
    if (expected !== undefined && expected !== real) throw mountChanged(source, real, expected);
  }
}

export function withRealPaths(
  mounts: readonly ContainerMount[],
  paths: MountPaths,
): readonly ContainerMount[] {
  return mounts.map((mount) =>
    mount.type === 'bind' && Object.hasOwn(paths, mount.source)
      ? { ...mount, source: paths[mount.source] ?? mount.source }
      : mount,
  );
}

/**
 * Returns whether a container that can write `folder` can replace a part of the second mount's path. It
 * cannot replace an entry directly in `folder` that is mounted again at the same place, because the kernel
 * refuses to rename a mount point.
 */
function canRedirect(folder: ResolvedMount, { mount, real, places }: ResolvedMount): boolean {
  const inside = places.filter((place) => isBelow(place, folder.real));
  if (inside.length === 0) return false;
  const isMountPoint = mount.target === path.posix.join(folder.mount.target, path.basename(real));
  return inside.length > 1 || inside[0] !== real || !isMountPoint;
}

function isBelow(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : `${folder}${path.sep}`);
}

async function resolveMount(mount: BindMount): Promise<ResolvedMount> {
  const places: string[] = [];
  const parse = (file: string): string[] => file.split(path.sep).filter((part) => part !== '');
  let { root: real } = path.parse(mount.source);
  const rest = parse(mount.source.slice(real.length));
  let links = 0;
  try {
    for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
      const place = path.join(real, part);
      places.push(place);
      if (!(await lstat(place)).isSymbolicLink()) {
        real = place;
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw new Error('the path has too many symbolic links');
      const target = await readlink(place);
      const { root } = path.parse(target);
      if (root !== '') real = root;
      rest.unshift(...parse(target.slice(root.length)));
    }
  } catch (error) {
    throw mountMissing(mount.source, mount.target, error);
  }
  return { mount, real, places };
}
