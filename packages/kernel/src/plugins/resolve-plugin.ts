import { statSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InstalledPlugin } from './plugin-origins.ts';
import type { ConfigPath } from '../faults/config-path.ts';
import { isPlainMap } from '../config/plain-data.ts';
import { installedPluginNotFound, pluginNotFound, pluginTwice } from './plugin-errors.ts';
import { type Refuse, refuseAtOnce } from './refused-plugin.ts';

export interface PluginReference {
  readonly specifier: string;
  readonly options: unknown;
  readonly optionsPlace: ConfigPath;
  readonly override: boolean;
  readonly shipped: boolean;
  /** File from whose folder the specifier is resolved. The file need not exist. */
  readonly from: string;
  readonly otherwiseFrom?: string;
  readonly installed?: boolean;
}

export type ResolvedPlugin = PluginReference &
  (
    | { readonly lies: 'package'; readonly packageJson: string }
    | { readonly lies: 'file'; readonly file: string }
  );

/** Returns the well-formed items of `plugins`; the schema reports the others. */
export function listReferences(
  config: unknown,
  from: string,
  installed: readonly InstalledPlugin[] = [],
): readonly PluginReference[] {
  const items = isPlainMap(config) && Array.isArray(config['plugins']) ? config['plugins'] : [];
  return items.flatMap((item: unknown, index) => {
    const map = isPlainMap(item) ? item : { use: item };
    const { use: specifier, options, override } = map;
    if (typeof specifier !== 'string' || specifier === '') return [];
    const otherwiseFrom = installed.find((one) => one.specifier === specifier)?.from;
    return [
      {
        specifier,
        options: options ?? {},
        optionsPlace: ['plugins', index, 'options'],
        override: override === true,
        shipped: false,
        from,
        ...(otherwiseFrom === undefined ? {} : { otherwiseFrom }),
      },
    ];
  });
}

/**
 * Resolves plugin references to files without running code. Paths are relative to the file that names them; a
 * folder counts as a package. Throws ERR_PLUGIN_NOT_FOUND, and ERR_PLUGIN_KIND_CLASH when two references lead
 * to the same file. Omits references that `refuse` records.
 */
export function resolvePlugins(
  references: readonly PluginReference[],
  refuse: Refuse = refuseAtOnce,
): readonly ResolvedPlugin[] {
  const byPlace = new Map<string, ResolvedPlugin>();
  for (const reference of references) {
    const plugin = withRefusal(reference, refuse, () => resolvePlugin(reference));
    if (plugin === undefined) continue;
    const place = placeOf(plugin);
    const earlier = byPlace.get(place);
    if (earlier === undefined) byPlace.set(place, plugin);
    else if (earlier.shipped)
      byPlace.set(place, plugin); // the configuration names a built-in package, which has no file of its own
    else
      refuse(
        reference,
        pluginTwice({ plugin: earlier.specifier, file: place }, { plugin: plugin.specifier, file: place }),
      );
  }
  return [...byPlace.values()];
}

function withRefusal<T>(reference: PluginReference, refuse: Refuse, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    refuse(reference, error);
    return undefined;
  }
}

function resolvePlugin(reference: PluginReference): ResolvedPlugin {
  const path = pathOf(reference);
  if (path === undefined) return { ...reference, lies: 'package', packageJson: findPackage(reference) };
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return { ...reference, lies: 'file', file: path };
  const packageJson = join(path, 'package.json');
  if (stats?.isDirectory() === true && statSync(packageJson, { throwIfNoEntry: false })?.isFile() === true) {
    return { ...reference, lies: 'package', packageJson };
  }
  throw notFound(reference);
}

function pathOf({ specifier, from }: PluginReference): string | undefined {
  if (specifier.startsWith('file:')) return pathOfUrl(specifier);
  if (isAbsolute(specifier)) return specifier;
  return /^\.{1,2}(?:[\\/]|$)/.test(specifier) ? resolve(dirname(from), specifier) : undefined;
}

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined; // neither a local file URL nor a package name
  }
}

function notFound({ specifier, from, installed }: PluginReference, cause?: unknown): Error {
  return (installed === true ? installedPluginNotFound : pluginNotFound)(specifier, from, cause);
}

function findPackage(reference: PluginReference): string {
  const { specifier, from, otherwiseFrom } = reference;
  let cause: unknown;
  for (const place of otherwiseFrom === undefined ? [from] : [from, otherwiseFrom]) {
    try {
      const packageJson = findPackageJSON(specifier, place);
      if (packageJson !== undefined) return packageJson;
    } catch (error) {
      cause = error;
    }
  }
  throw notFound(reference, cause);
}

/** Returns the file that identifies a plugin in messages: its package.json until the main file is known. */
export function placeOf(plugin: ResolvedPlugin): string {
  return plugin.lies === 'package' ? plugin.packageJson : plugin.file;
}
