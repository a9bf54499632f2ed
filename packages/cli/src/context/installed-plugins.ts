import type { InstalledPlugin } from '@portolan/kernel';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { installedPluginsUnreadable } from './context-errors.ts';
import { provideHostPackages } from './host-packages.ts';

/**
 * Returns the file in which oclif lists the installed plugins: in PORTOLAN_DATA_DIR, else in `portolan` of
 * the user's data directory.
 */
export function installedPluginsFile(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const own = environment['PORTOLAN_DATA_DIR'];
  if (own) return path.join(own, 'package.json');
  const local = platform === 'win32' ? environment['LOCALAPPDATA'] : undefined;
  const home = environment['HOME'] || homedir();
  const data = environment['XDG_DATA_HOME'] || local || path.join(home, '.local/share');
  return path.join(data, 'portolan', 'package.json');
}

/**
 * Returns the user's installed plugins. From then on, their imports of `@portolan/*` resolve to the packages
 * of this program. Throws ERR_PLUGIN_SHAPE.
 */
export async function findInstalledPlugins(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly InstalledPlugin[]> {
  const file = installedPluginsFile(environment);
  const installed = await readInstalledPlugins(file);
  if (installed.length > 0) {
    const modules = path.join(path.dirname(file), 'node_modules');
    // npm links a folder that the user installs, so its modules are outside of `node_modules`.
    provideHostPackages([modules, ...installed.map(({ specifier }) => path.resolve(modules, specifier))]);
  }
  return installed;
}

/** Returns the packages that `portolan plugins` has installed or linked. Throws ERR_PLUGIN_SHAPE. */
export async function readInstalledPlugins(file: string): Promise<readonly InstalledPlugin[]> {
  const items = pluginsOf(await readDocument(file));
  return items.flatMap((item: unknown): InstalledPlugin[] => {
    if (typeof item === 'string') return [{ specifier: item, from: file }];
    if (typeof item !== 'object' || item === null || !('type' in item)) return [];
    if (item.type === 'link' && 'root' in item && typeof item.root === 'string') {
      return [{ specifier: item.root, from: file }];
    }
    const isInstalled = item.type === 'user' && 'name' in item && typeof item.name === 'string';
    // SAFETY: the line above checks that `name` is a string.
    return isInstalled ? [{ specifier: item.name as string, from: file }] : [];
  });
}

async function readDocument(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw installedPluginsUnreadable(file, error);
  }
}

function pluginsOf(document: unknown): readonly unknown[] {
  if (typeof document !== 'object' || document === null || !('oclif' in document)) return [];
  const { oclif } = document;
  if (typeof oclif !== 'object' || oclif === null || !('plugins' in oclif)) return [];
  return Array.isArray(oclif.plugins) ? oclif.plugins : [];
}
