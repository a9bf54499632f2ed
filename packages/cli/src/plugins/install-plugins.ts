import { nearest } from '@portolan/plugin-api';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  folderWithoutPackage,
  packageUnidentified,
  packageWithoutPlugin,
  pluginNotInstalled,
} from './plugin-errors.ts';
import type { PluginFolder, PluginRecord } from './plugin-folder.ts';
import { type Environment, type FetchOptions, runInstallScripts, runNpm } from './run-npm.ts';
import { findScriptPackages } from './script-packages.ts';
import { checkInstalledPlugin } from '@portolan/kernel/check-plugin';

export interface InstallOptions {
  readonly environment: Environment;
  /** Whether npm may fetch Git dependencies, and install scripts of the package and its dependencies may run. */
  readonly allowScripts: boolean;
  /** Whether to print npm's own output on standard error. */
  readonly verbose: boolean;
}

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Packages whose install scripts did not run, as `NAME@VERSION`. */
  readonly skippedScripts: readonly string[];
}

export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly hasCommands: boolean;
}

/**
 * Installs a package without running its scripts, checks its manifest, and then runs the scripts if they are
 * allowed. Removes a package that fails the check, or whose scripts fail. Throws ERR_PLUGIN_NPM and
 * ERR_PLUGIN_SHAPE.
 */
export async function installPlugin(
  spec: string,
  folder: PluginFolder,
  options: InstallOptions,
): Promise<InstalledPackage> {
  const { environment, verbose } = options;
  const npm = { folder: folder.folder, environment, verbose, task: `install ${spec}` };
  await folder.prepare();
  const before = await folder.remember();
  const dependencies = await folder.dependencies();
  const fetching: FetchOptions = {
    ...npm,
    allowGit: options.allowScripts ? 'all' : 'root',
    mayClone: options.allowScripts || [spec, ...Object.values(dependencies)].some(mayBeGit),
  };
  await runNpm(['install', spec], fetching);
  try {
    const name = await findInstalled(spec, dependencies, folder);
    const facts = await checkPackage(name, folder);
    const scripts = await findScriptPackages(folder.folder, name);
    const areRun = options.allowScripts && scripts.length > 0;
    if (areRun) await runInstallScripts(scripts, { ...npm, task: `run the install scripts of ${spec}` });
    await remember({ name, type: 'user', ...originOf(spec) }, folder);
    return { name, version: facts.version, skippedScripts: areRun ? [] : scripts };
  } catch (error) {
    await folder.restore(before);
    const undo = { ...fetching, task: `remove ${spec} again` };
    await runNpm(['install', '--prefer-offline'], undo).catch((fault: Error) => {
      if (error instanceof Error) error.message += `; ${fault.message}`;
    });
    throw error;
  }
}

/** Links a folder as a plugin, and installs nothing. Throws ERR_PLUGIN_SHAPE. */
export async function linkPlugin(root: string, folder: PluginFolder): Promise<PackageFacts> {
  const facts = await readPackage(root).catch((error: unknown) => {
    throw folderWithoutPackage(root, error);
  });
  await checkManifest(root, facts, folder);
  await remember({ name: facts.name, type: 'link', root }, folder);
  return facts;
}

/** Removes an installed plugin, or the link to one. Throws ERR_NAME_UNKNOWN and ERR_PLUGIN_NPM. */
export async function uninstallPlugin(
  name: string,
  folder: PluginFolder,
  { environment, verbose }: Pick<InstallOptions, 'environment' | 'verbose'>,
): Promise<PluginRecord> {
  const plugin = await findPlugin(name, folder);
  if (plugin.type === 'user') {
    await folder.prepare();
    const npm = { folder: folder.folder, environment, verbose, task: `uninstall ${plugin.name}` };
    await runNpm(['uninstall', plugin.name], { ...npm, allowGit: 'root', mayClone: true });
  }
  await folder.save((await folder.list()).filter((one) => one.name !== plugin.name));
  return plugin;
}

/** Returns an installed plugin by its name, or a linked one by its folder. Throws ERR_NAME_UNKNOWN. */
export async function findPlugin(name: string, folder: PluginFolder): Promise<PluginRecord> {
  const plugins = await folder.list();
  const plugin =
    plugins.find((one) => one.name === (splitSpec(name).name ?? name)) ??
    plugins.find(({ root }) => root === path.resolve(name));
  if (plugin !== undefined) return plugin;
  const names = plugins.map((one) => one.name);
  throw pluginNotInstalled(name, nearest(name, names));
}

/** Reads the package.json in a folder. Throws when there is none, or when it has no name and version. */
export async function readPackage(root: string): Promise<PackageFacts> {
  const document: unknown = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  if (typeof document !== 'object' || document === null) throw new TypeError('it is not a JSON object');
  // an object, as checked above
  const { name, version, oclif } = document as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new TypeError('name or version is missing');
  return { name, version, hasCommands: typeof oclif === 'object' && oclif !== null };
}

async function checkPackage(name: string, folder: PluginFolder): Promise<PackageFacts> {
  const facts = await readPackage(folder.rootOf({ name, type: 'user' }));
  await checkManifest(name, facts, folder);
  return facts;
}

async function checkManifest(
  specifier: string,
  facts: PackageFacts,
  { folder }: PluginFolder,
): Promise<void> {
  const isPlugin = await checkInstalledPlugin({ specifier, from: path.join(folder, 'package.json') });
  if (!isPlugin && !facts.hasCommands) throw packageWithoutPlugin(facts.name);
}

async function remember(plugin: PluginRecord, folder: PluginFolder): Promise<void> {
  const others = (await folder.list()).filter(({ name }) => name !== plugin.name);
  await folder.save([...others, plugin]);
}

/** Returns the name of the package that npm has just installed. */
async function findInstalled(
  spec: string,
  before: Readonly<Record<string, string>>,
  folder: PluginFolder,
): Promise<string> {
  const { name } = splitSpec(spec);
  if (name !== undefined) return name;
  const dependencies = await folder.dependencies();
  const changed = Object.keys(dependencies).filter((one) => dependencies[one] !== before[one]);
  const [only] = changed;
  if (only !== undefined && changed.length === 1) return only;
  const known = (await folder.list()).find(({ url }) => url === spec)?.name;
  if (known === undefined || dependencies[known] === undefined) throw packageUnidentified(spec);
  return known;
}

function originOf(spec: string): Pick<PluginRecord, 'url' | 'tag'> {
  const { name, tag } = splitSpec(spec);
  return name === undefined ? { url: spec } : { tag };
}

/**
 * Returns whether npm could interpret this as a Git repository: not a file, and not a name or version in the
 * index.
 */
function mayBeGit(spec: string): boolean {
  return !spec.startsWith('file:') && splitSpec(spec).name === undefined;
}

/** Splits `NAME@TAG` of the package index. The name is undefined for a file, an address or a repository. */
function splitSpec(spec: string): { readonly name: string | undefined; readonly tag: string } {
  const [, name, tag = 'latest'] = /^((?:@[^/@:]+\/)?[^/@:]+)(?:@([^/:]*))?$/.exec(spec) ?? [];
  return { name, tag };
}
