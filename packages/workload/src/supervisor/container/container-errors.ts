import { PortolanError } from '@portolan/plugin-api';

export function hookWeakens(
  container: string,
  changes: readonly string[],
  plugin: string | undefined,
): PortolanError {
  const who = plugin === undefined ? 'A plugin' : `The plugin ${plugin}`;
  const text = changes.map((change) => `\n  ${change}`).join('');
  return new PortolanError(
    'ERR_HOOK_WEAKENS',
    'refused',
    `${who} gives the container ${container} more access than its permission profile allows:${text}`,
    {
      hint: 'Taps on containerStart may only restrict a container. Extend the permission profile, or remove the plugin.',
    },
  );
}

export function mountMissing(source: string, target: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_MOUNT_MISSING',
    'mistake',
    `${source} cannot be mounted at ${target}: it does not exist.`,
    {
      hint: 'Create it first, or correct --volume or the permission profile.',
      cause,
    },
  );
}

/** Creates the error for a mounted path that now leads to another place than the user accepted at `run`. */
export function mountChanged(source: string, actual: string, expected: string): PortolanError {
  return new PortolanError(
    'ERR_MOUNT_CHANGED',
    'refused',
    `${source} is not mounted: it leads to ${actual}; expected ${expected}, as accepted for the run.`,
    {
      hint: 'A symbolic link was changed. Restore it, or, if you changed it yourself, create the workload again with `portolan run`.',
    },
  );
}

/**
 * Creates the error for a mount inside a folder that the same workload can write, so that it could redirect
 * the mount by a symbolic link.
 */
export function mountReplaceable(source: string, folder: string): PortolanError {
  return new PortolanError(
    'ERR_MOUNT_CHANGED',
    'refused',
    `${source} is not mounted: its path leads through ${folder}, which the workload may write. Expected a path outside, or a direct entry of that folder at the same place in the container.`,
    {
      hint: 'Mount only one of the two, or mount the folder read-only. An entry may be mounted over itself: -v ./data:/data -v ./data/keys:/data/keys:ro.',
    },
  );
}
