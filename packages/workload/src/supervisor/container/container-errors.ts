import { PortolanError } from '@portolan/plugin-api';

/** A plugin has changed what a container is started from in a way that opens more than the profile does. */
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
    `${who} opens the container ${container} further than its permission profile does:${text}`,
    {
      hint: 'Taps on containerStart may narrow what a container can do. Widen the permission profile, or remove the plugin.',
    },
  );
}

/** What is to be mounted is not there. */
export function mountMissing(source: string, target: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_MOUNT_MISSING',
    'mistake',
    `${source} cannot be mounted at ${target}: it does not exist.`,
    {
      hint: 'Make it first, or correct --volume or the permission profile.',
      cause,
    },
  );
}
