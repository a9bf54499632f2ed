import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isPlainMap } from '../config/plain-data.ts';
import { pluginManifest } from './plugin-errors.ts';
import { type Refuse, refuseAtOnce } from './refused-plugin.ts';
import type { ResolvedPlugin } from './resolve-plugin.ts';

/** Plugin whose manifest was read. None of its code has run. */
export type DescribedPlugin = ResolvedPlugin & {
  readonly file: string;
  /** Undefined for a plain file, which has no manifest. */
  readonly apiVersion: number | undefined;
};

/**
 * Reads the key `portolan` in the package.json of every package. Throws ERR_PLUGIN_SHAPE; omits plugins that
 * `refuse` records.
 */
export async function readManifests(
  plugins: readonly ResolvedPlugin[],
  refuse: Refuse = refuseAtOnce,
): Promise<readonly DescribedPlugin[]> {
  const described = await Promise.all(
    plugins.map(async (plugin): Promise<readonly DescribedPlugin[]> => {
      if (plugin.lies === 'file') return [{ ...plugin, apiVersion: undefined }];
      try {
        return [await readManifest(plugin, plugin.packageJson)];
      } catch (error) {
        refuse(plugin, error);
        return [];
      }
    }),
  );
  return described.flat();
}

/** Returns whether a package is a plugin. Throws ERR_PLUGIN_SHAPE for an unreadable manifest. */
export async function isAnnounced(plugin: ResolvedPlugin): Promise<boolean> {
  if (plugin.lies === 'file') return true;
  const fault = (what: string): Error => pluginManifest(plugin.specifier, plugin.packageJson, what);
  return (await readPackageJson(plugin.packageJson, fault))['portolan'] !== undefined;
}

async function readManifest(plugin: ResolvedPlugin, packageJson: string): Promise<DescribedPlugin> {
  const fault = (what: string): Error => pluginManifest(plugin.specifier, packageJson, what);
  const description = await readPackageJson(packageJson, fault);
  const manifest = description['portolan'];
  if (manifest === undefined)
    throw fault('its package.json has no key "portolan", so it is no Portolan plugin');
  if (!isPlainMap(manifest)) throw fault('"portolan" is no map');
  const { plugin: subpath, apiVersion } = manifest;
  if (typeof subpath !== 'string' || !/^\.(?:\/|$)/.test(subpath)) {
    throw fault('"portolan.plugin" is not "." or a path of its exports that begins with "./"');
  }
  if (!Number.isInteger(apiVersion)) throw fault('"portolan.apiVersion" is no whole number');
  const name = description['name'];
  if (typeof name !== 'string') throw fault('its package.json has no name');
  return {
    ...plugin,
    apiVersion: Number(apiVersion),
    file: resolveEntry(name + subpath.slice(1), packageJson, fault),
  };
}

async function readPackageJson(
  file: string,
  fault: (what: string) => Error,
): Promise<Record<string, unknown>> {
  let description: unknown;
  try {
    description = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    throw fault('its package.json cannot be read as JSON');
  }
  if (!isPlainMap(description)) throw fault('its package.json holds no map');
  return description;
}

function resolveEntry(entry: string, packageJson: string, fault: (what: string) => Error): string {
  try {
    return createRequire(packageJson).resolve(entry);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw fault(`its "exports" do not lead to a file for "${entry}" under the condition "default" (${code})`);
  }
}
