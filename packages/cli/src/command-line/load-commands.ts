import { Config, type Interfaces, Plugin } from '@oclif/core';
import { isPortolanError } from '@portolan/plugin-api';
import type { InstalledPlugin } from '@portolan/kernel';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findInstalledPlugins } from '../context/installed-plugins.ts';
import { printableLines } from '../terminal/printable.ts';

export interface CommandFiles {
  readonly manifestFile: string;
  /** Folder of the command files, relative to the root of this package. */
  readonly commands: string;
}

/**
 * Loads the commands of this package and of installed plugins. Prints the names of plugins with an invalid
 * manifest, or whose commands cannot be loaded. All other commands still work.
 */
export async function loadCommands(files: CommandFiles, argv: readonly string[]): Promise<Config> {
  const { manifestFile, commands } = files;
  // SAFETY: this is Portolan's own file.
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Interfaces.PJSON;
  const root = path.dirname(manifestFile);
  const isSource = commands.startsWith('./src');
  const match = isSource ? findSources(argv, root, commands) : commands;
  const pjson = { ...manifest, oclif: { ...manifest.oclif, commands: match } };
  const own = new Plugin({ root, pjson, isRoot: true, ignoreManifest: isSource });
  await own.load();
  const plugins = [own, ...(await loadCompletion(files)), ...(await loadPlugins())];
  return await Config.load({ root, pjson, plugins: new Map(plugins.map((one) => [one.name, one])) });
}

/**
 * Returns where oclif finds command files in a checkout, which has no manifest. If the first word is a
 * command or a topic, returns only its files.
 */
function findSources(
  [first = '']: readonly string[],
  root: string,
  commands: string,
): NonNullable<Interfaces.PJSON['oclif']['commands']> {
  const [name = ''] = first.split(':');
  const file = path.join(root, commands, name);
  if (!/^[a-z][\w-]*$/.test(name) || !(existsSync(file) || existsSync(`${file}.ts`))) return commands;
  return { strategy: 'pattern', target: commands, globPatterns: [`${name}.ts`, `${name}/**/*.ts`] };
}

/**
 * Loads oclif's command `autocomplete` in a checkout. The build bundles it with the commands of this package.
 */
async function loadCompletion({ manifestFile, commands }: CommandFiles): Promise<readonly Plugin[]> {
  if (!commands.startsWith('./src')) return [];
  const plugin = new Plugin({
    name: '@oclif/plugin-autocomplete',
    root: path.dirname(manifestFile),
    type: 'core',
  });
  await plugin.load();
  return [plugin];
}

async function loadPlugins(): Promise<readonly Plugin[]> {
  const installed = await findInstalledPlugins(process.env).catch((error: unknown) => {
    warn('the commands of plugins are unavailable', error);
    return [];
  });
  const loaded = await Promise.all(
    installed.map(async (plugin) => {
      try {
        return await loadPlugin(plugin);
      } catch (error) {
        warn(`the commands of the plugin ${plugin.specifier} are unavailable`, error);
        return undefined;
      }
    }),
  );
  return loaded.filter((plugin) => plugin !== undefined);
}

/** Returns undefined for a plugin without commands. Throws ERR_PLUGIN_*, and the errors of oclif. */
async function loadPlugin({ specifier, from }: InstalledPlugin): Promise<Plugin | undefined> {
  const isLinked = path.isAbsolute(specifier);
  const folder = isLinked ? specifier : path.join(path.dirname(from), 'node_modules', specifier);
  const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => undefined);
  // If the file is missing, commands that need the plugin report it.
  if (text === undefined || !/"oclif"\s*:/.test(text)) return undefined;
  const { checkInstalledPlugin } = await import('@portolan/kernel/check-plugin');
  await checkInstalledPlugin({ specifier, from });
  // With the type `link`, oclif would look for TypeScript and warn when there is none.
  const match = isLinked ? { root: folder } : { name: specifier, root: from };
  const plugin = new Plugin({ ...match, type: 'user' });
  await plugin.load();
  return plugin;
}

function warn(what: string, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  const hint = isPortolanError(error) && error.hint !== undefined ? `\nhint: ${error.hint}` : '';
  process.stderr.write(printableLines(`warning: ${what}: ${why}${hint}\n`));
}
