import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadedConfig } from '../config/find-config.ts';
import { collectKinds, type KindTable } from './kind-table.ts';
import { checkApiVersions } from '../plugins/check-api-version.ts';
import { importPlugins, type LoadedPlugin } from '../plugins/import-plugin.ts';
import { isAnnounced, readManifests } from '../plugins/read-manifest.ts';
import { type InstalledPlugin, type LoadOptions, NOTHING_SHIPPED } from '../plugins/plugin-origins.ts';
import { type Refuse, refuseAtOnce } from '../plugins/refused-plugin.ts';
import { listReferences, type PluginReference, resolvePlugins } from '../plugins/resolve-plugin.ts';

export interface LoadedKinds {
  readonly plugins: readonly LoadedPlugin[];
  readonly kinds: KindTable;
}

type Origin = Pick<LoadedConfig, 'file' | 'directory' | 'value'>;

/**
 * Loads the configured plugins and the given built-in packages. With `everyInstalled`, also loads installed
 * plugins that are not configured. Throws ERR_PLUGIN_*, except for items of `plugins` that `refuse` records.
 */
export async function loadKinds(
  origin: Origin,
  shippedPackages: readonly string[],
  options: LoadOptions,
  {
    everyInstalled = false,
    refuse = refuseAtOnce,
  }: { readonly everyInstalled?: boolean; readonly refuse?: Refuse } = {},
): Promise<LoadedKinds> {
  const from = lookUpFrom(origin);
  const { installed = [] } = options;
  const configured = listReferences(origin.value, from, installed);
  const named = new Set(configured.map(({ specifier }) => specifier));
  const unnamed = everyInstalled ? installed.filter(({ specifier }) => !named.has(specifier)) : [];
  const references = [
    ...shippedPackages.map((name) => plainReference(name, options.shippedFrom ?? from, true)),
    ...configured,
    ...(await announced(unnamed)),
  ];
  const described = await readManifests(resolvePlugins(references, refuse), refuse);
  const served = checkApiVersions(described, refuse);
  const plugins = await importPlugins(served, options.pluginObjects, options.pluginTimeoutMs, refuse);
  return { plugins, kinds: collectKinds(plugins, options.shipped ?? NOTHING_SHIPPED, refuse) };
}

/** Imports one built-in package. `from` is the configuration file, if there is one. Throws ERR_PLUGIN_*. */
export async function loadShipped(
  packageName: string,
  from: string,
  options: LoadOptions,
): Promise<LoadedPlugin> {
  const references = [plainReference(packageName, options.shippedFrom ?? from, true)];
  const described = await readManifests(resolvePlugins(references));
  checkApiVersions(described);
  const [plugin] = await importPlugins(described, [], options.pluginTimeoutMs);
  if (plugin === undefined) throw new Error(`the shipped package ${packageName} was not imported`);
  return plugin;
}

/**
 * Returns the file whose folder resolves the names of plugins: the configuration file, or a file name in its
 * folder that need not exist.
 */
export function lookUpFrom({ file, directory }: Pick<LoadedConfig, 'file' | 'directory'>): string {
  return file ?? join(directory, 'portolan.config.yaml');
}

/**
 * Returns the installed packages that announce a plugin. Omits packages that only extend the command line.
 */
async function announced(installed: readonly InstalledPlugin[]): Promise<readonly PluginReference[]> {
  const references = installed.map(({ specifier, from }) => ({
    ...plainReference(specifier, from, false),
    installed: true,
  }));
  const resolved = resolvePlugins(references);
  const ours = await Promise.all(resolved.map(isAnnounced));
  return resolved.filter((_, index) => ours[index] === true);
}

function plainReference(specifier: string, from: string, shipped: boolean): PluginReference {
  return {
    specifier,
    options: {},
    optionsPlace: ['plugins'],
    override: false,
    shipped,
    from: from.startsWith('file:') ? fileURLToPath(from) : from,
  };
}
