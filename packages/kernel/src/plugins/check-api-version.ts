import { API_VERSION } from '@portolan/plugin-api';
import { pluginApiVersion } from './plugin-errors.ts';
import type { DescribedPlugin } from './read-manifest.ts';
import { type Refuse, refuseAtOnce } from './refused-plugin.ts';

/**
 * Supported versions of the contract. Version 1 is not supported: functions of its policies have other names,
 * so the proxy would ignore them.
 */
export const SERVED_API_VERSIONS: readonly number[] = [API_VERSION];

/**
 * Rejects plugins whose manifest declares an unsupported version of the contract, before their code runs. A
 * plugin that is a plain file has no manifest; its version is checked after the import. Throws
 * ERR_PLUGIN_SHAPE for an unsupported plugin, or omits it when `refuse` records it.
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
