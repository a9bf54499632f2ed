import { pathToFileURL } from 'node:url';
import type { Plugin } from '@portolan/plugin-api';
import type { PluginObject } from './plugin-origins.ts';
import { isPlainMap } from '../config/plain-data.ts';
import { pluginImport, pluginMisplaced, pluginTwice } from './plugin-errors.ts';
import { findMisplacedModule } from '../faults/find-misplaced-module.ts';
import { findSyntaxPosition } from '../faults/find-syntax-position.ts';
import { withinTime } from '../lifetime/within-time.ts';
import { checkPluginShape } from './check-plugin-shape.ts';
import type { DescribedPlugin } from './read-manifest.ts';
import { type Refuse, refuseAtOnce } from './refused-plugin.ts';
import type { PluginReference } from './resolve-plugin.ts';

export interface LoadedPlugin extends Omit<PluginReference, 'from' | 'otherwiseFrom'> {
  readonly plugin: Plugin;
  readonly file: string;
}

/**
 * Imports plugins one after the other and validates their exports. Throws ERR_PLUGIN_IMPORT,
 * ERR_PLUGIN_SHAPE, ERR_PLUGIN_API_VERSION, and ERR_PLUGIN_TWICE for two plugins of the same name, including
 * plugins passed as objects. Omits plugins that `refuse` records.
 */
export async function importPlugins(
  plugins: readonly DescribedPlugin[],
  objects: readonly PluginObject[] = [],
  limitMs?: number,
  refuse: Refuse = refuseAtOnce,
): Promise<readonly LoadedPlugin[]> {
  const loaded = objects.map(takeObject);
  for (const plugin of plugins) {
    try {
      loaded.push(await importPlugin(plugin, limitMs));
    } catch (error) {
      refuse(plugin, error);
    }
  }
  const byName = new Map<string, LoadedPlugin>();
  for (const plugin of loaded) {
    const { name } = plugin.plugin;
    const earlier = byName.get(name);
    if (earlier === undefined) byName.set(name, plugin);
    else
      refuse(plugin, pluginTwice({ plugin: name, file: earlier.file }, { plugin: name, file: plugin.file }));
  }
  return [...byName.values()];
}

function takeObject(object: PluginObject, index: number): LoadedPlugin {
  const { plugin, options, override } = object;
  const place = { plugin: `pluginObjects[${index}]`, file: 'passed as an object' };
  return {
    plugin: checkPluginShape(plugin, place),
    file: place.file,
    specifier: place.plugin,
    options: isPlainMap(options) ? structuredClone(options) : {},
    optionsPlace: ['pluginObjects', index, 'options'],
    override: override === true,
    shipped: false,
  };
}

async function importPlugin(described: DescribedPlugin, limitMs?: number): Promise<LoadedPlugin> {
  const { specifier, file, apiVersion, options, optionsPlace, override, shipped, installed } = described;
  const place = { plugin: specifier, file };
  const packageJson = await findMisplacedModule(file);
  if (packageJson !== undefined) throw pluginMisplaced(place, packageJson);
  let exported: unknown;
  try {
    exported = defaultExport(await withinTime(() => import(pathToFileURL(file).href), limitMs));
  } catch (error) {
    throw pluginImport(
      place,
      error,
      error instanceof SyntaxError ? await findSyntaxPosition(error, file) : undefined,
    );
  }
  const plugin = checkPluginShape(exported, place, apiVersion);
  const more = installed === true ? { installed } : {};
  return { plugin, file, specifier, options, optionsPlace, override, shipped, ...more };
}

/**
 * Returns the default export. In CommonJS that was compiled from an ES module, it is the property `default`
 * of the default export.
 */
function defaultExport(namespace: object): unknown {
  const value: unknown = 'default' in namespace ? namespace.default : undefined;
  const isCompiled =
    typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value;
  return isCompiled ? value.default : value;
}
