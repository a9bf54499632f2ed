import { API_VERSION } from '@portolan/plugin-api';
import { pluginApiVersion } from './plugin-errors.ts';
import type { DescribedPlugin } from './read-manifest.ts';
import { type Refuse, refuseAtOnce } from './refused-plugin.ts';

/** The versions of the plugin contract that are served: the current one and the one before, once there is one. */
export const SERVED_API_VERSIONS: readonly number[] = [API_VERSION - 1, API_VERSION].filter(
  (version) => version >= 1,
);

/**
 * Refuses plugins whose manifest names a version of the contract that is not
 * served, before a line of them runs. Throws ERR_PLUGIN_API_VERSION, or answers
 * with those that `refuse` took no note of. A plain file has no manifest; its
 * version is looked at when it was imported.
 */
export function checkApiVersions(
  plugins: readonly DescribedPlugin[],
  refuse: Refuse = refuseAtOnce,
): readonly DescribedPlugin[] {
  return plugins.filter((plugin) => {
    const { specifier, file, apiVersion } = plugin;
    if (apiVersion === undefined || SERVED_API_VERSIONS.includes(apiVersion)) return true;
    refuse(plugin, pluginApiVersion({ plugin: specifier, file }, apiVersion, SERVED_API_VERSIONS));
    return false;
  });
}
