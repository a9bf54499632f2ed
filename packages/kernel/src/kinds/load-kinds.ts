import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FoundConfig } from '../config/find-config.ts';
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

type Origin = Pick<FoundConfig, 'file' | 'directory' | 'value'>;

/**
 * The part of the boot path that loads plugins: those of the configuration, and
 * those shipped packages; with `everyInstalled`, also those that were installed
 * and are not named. Throws ERR_PLUGIN_*; items of `plugins` that `refuse` takes
 * note of are left out.
 */
export async function loadKinds(
  found: Origin,
  shippedPackages: readonly string[],
  options: LoadOptions,
  {
    everyInstalled = false,
    refuse = refuseAtOnce,
  }: { readonly everyInstalled?: boolean; readonly refuse?: Refuse } = {},
): Promise<LoadedKinds> {
  const from = lookUpFrom(found);
  const { installed = [] } = options;
  const configured = listReferences(found.value, from, installed);
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

/**
 * Imports one shipped package by itself, as `loadKinds` does. Throws
 * ERR_PLUGIN_*. `from` is the file of the configuration, if there is one.
 */
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

/** The file that names of plugins are looked up from; where there is none, one that could be. */
export function lookUpFrom({ file, directory }: Pick<FoundConfig, 'file' | 'directory'>): string {
  return file ?? join(directory, 'portolan.config.yaml');
}

/** What is installed for the command line alone is no plugin of ours, and is passed over. */
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
