import { access, constants, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { isPortolanError } from '@portolan/plugin-api';
import { describeThrown } from '../faults/describe-thrown.ts';
import { configCode, configFormat, configNotFound, configSyntax, configUnreadable } from './config-errors.ts';
import type { PositionFinder } from '../faults/config-path.ts';
import type { ConfigProblem } from '../faults/config-problem.ts';
import { importConfig, importConfigAgain } from './import-config.ts';
import { locate, parseJson } from './parse-json.ts';
import { parseYaml } from './parse-yaml.ts';
import { copyPlainData, isPlainMap } from './plain-data.ts';
import * as untyped from 'cosmiconfig/dist/Explorer.js';
import type { CosmiconfigResult, Options } from 'cosmiconfig';

interface Explorer {
  load(file: string): Promise<CosmiconfigResult>;
  search(from: string): Promise<CosmiconfigResult>;
}

type ExplorerClass = new (
  options: Options & { readonly moduleName: string; readonly metaConfigFilePath: null },
) => Explorer;

// The type declarations omit the class as internal. cosmiconfig is pinned, and the tests of find-config cover
// its behaviour.
const Explorer = (untyped as unknown as { readonly Explorer: ExplorerClass }).Explorer;

export const SEARCH_PLACES: readonly string[] = [
  'portolan.config.ts',
  'portolan.config.js',
  'portolan.config.mjs',
  'portolan.config.yaml',
  'portolan.config.yml',
  'portolan.config.json',
  '.portolanrc',
  '.portolanrc.yaml',
  '.portolanrc.yml',
  '.portolanrc.json',
  'package.json',
];

export interface LoadedConfig {
  /** Absolute path of the file. Undefined for a configuration that was passed as a value. */
  readonly file: string | undefined;
  /**
   * Base folder of relative paths: the folder of the configuration file as the user named it, with symbolic
   * links unresolved.
   */
  readonly directory: string;
  readonly value: unknown;
  readonly positionOf: PositionFinder;
  readonly problems: readonly ConfigProblem[];
}

export interface ConfigOrigin {
  readonly configFile?: string;
  /**
   * Folder where the search for a configuration file starts. The search goes upwards and ends at the first
   * folder with a package.json.
   */
  readonly searchFrom?: string;
  readonly config?: { readonly value: unknown; readonly directory: string };
}

/**
 * Returns the configuration that was passed as a value, named by path, or found by search. With `again`, runs
 * a configuration module and its imports again. Throws ERR_CONFIG_NOT_FOUND, ERR_CONFIG_UNREADABLE,
 * ERR_CONFIG_FORMAT, ERR_CONFIG_SYNTAX or ERR_CONFIG_CODE.
 */
export async function findConfig(
  origin: ConfigOrigin,
  { again = false }: { readonly again?: boolean } = {},
): Promise<LoadedConfig> {
  if (origin.config !== undefined) {
    const { value, problems } = copyPlainData(origin.config.value);
    return { file: undefined, directory: origin.config.directory, value, positionOf: nowhere, problems };
  }
  if (origin.configFile !== undefined) return await loadConfig(resolve(origin.configFile), again);
  return await searchConfig(resolve(origin.searchFrom ?? '.'), again);
}

const nowhere: PositionFinder = () => undefined;

interface LoadedText {
  readonly value: unknown;
  readonly positionOf: PositionFinder;
  readonly problems?: readonly ConfigProblem[];
}

type Loader = (file: string, text: string) => LoadedText | Promise<LoadedText>;

/**
 * Result of a loader. The wrapper hides the value's keys, because cosmiconfig would follow `$import` to other
 * files.
 */
interface Wrapped {
  readonly portolan: LoadedText;
}

async function loadConfig(file: string, again: boolean): Promise<LoadedConfig> {
  let result: Awaited<ReturnType<Explorer['load']>>;
  try {
    result = await explorer(again).load(file);
  } catch (error) {
    throw isPortolanError(error) ? error : configUnreadable(file, error);
  }
  if (result === null) throw configFormat(file, 'it has no key "portolan"');
  return toFoundConfig(result);
}

async function searchConfig(from: string, again: boolean): Promise<LoadedConfig> {
  const result = await explorer(again).search(from);
  await refuseUnreadable(from, result?.filepath);
  if (result === null) throw configNotFound(from, SEARCH_PLACES.slice(0, 6));
  return toFoundConfig(result);
}

/**
 * Throws when the configuration file that takes precedence is unreadable, because cosmiconfig would silently
 * use another file.
 */
async function refuseUnreadable(from: string, match: string | undefined): Promise<void> {
  for (let folder = from; ; folder = dirname(folder)) {
    for (const place of SEARCH_PLACES.filter((name) => name !== 'package.json')) {
      const file = join(folder, place);
      if (file === match) return;
      if (!(await isFile(file))) continue;
      await access(file, constants.R_OK).catch((cause: unknown) => {
        throw configUnreadable(file, cause);
      });
    }
    if (folder === dirname(folder) || (await isProjectRoot(folder))) return;
  }
}

async function isProjectRoot(folder: string): Promise<boolean> {
  return (await isFile(join(folder, 'package.json'))) || (await isFile(join(folder, 'package.yaml')));
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

const readCode: Loader = async (file) => ({ value: await importConfig(file), positionOf: nowhere });
const readCodeAgain: Loader = async (file) => ({ ...(await importConfigAgain(file)), positionOf: nowhere });
const readYaml: Loader = (file, text) => parseYaml(checkText(text, file), file);
const readJson: Loader = (file, text) => parseJson(checkText(text, file), file);

/**
 * Maximum length of a configuration file in characters. Parsing YAML takes many times the size of the text in
 * memory.
 */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Returns the text of a file without its byte order mark. The decoder has already replaced invalid UTF-8 by
 * U+FFFD.
 */
function checkText(text: string, file: string): string {
  if (text.length > MAX_CHARACTERS) throw configFormat(file, 'it is larger than 16 MiB');
  const at = text.indexOf('\uFFFD');
  if (at >= 0)
    throw configSyntax(file, { ...locate(text, at), what: 'this is no UTF-8; save the file as such' });
  return text.replace(/^\uFEFF/, '');
}

const LOADERS: Readonly<Record<string, Loader>> = {
  noExt: readYaml,
  '.yaml': readYaml,
  '.yml': readYaml,
  '.json': readJson,
  '.ts': readCode,
  '.mts': readCode,
  '.js': readCode,
  '.mjs': readCode,
  '.cjs': readCode,
  default: (file) => {
    throw configFormat(file, `nothing here reads files that end in "${extname(file)}"`);
  },
};

/**
 * Returns cosmiconfig's internal class. The public function `cosmiconfig()` would also run cosmiconfig's own
 * settings from the working directory.
 */
function explorer(again: boolean): Explorer {
  return new Explorer({
    moduleName: 'portolan',
    searchPlaces: [...SEARCH_PLACES],
    searchStrategy: 'project',
    ignoreEmptySearchPlaces: false,
    cache: false,
    loaders: Object.fromEntries(
      Object.entries(LOADERS).map(([ending, load]) => [
        ending,
        wrapped(again && load === readCode ? readCodeAgain : load),
      ]),
    ),
    transform: (result) => result,
    packageProp: 'portolan',
    metaConfigFilePath: null,
    mergeImportArrays: true,
    mergeSearchPlaces: false,
  });
}

function wrapped(load: Loader): (file: string, text: string) => Promise<unknown> {
  return async (file, text): Promise<Wrapped | { readonly portolan?: Wrapped }> => {
    const loaded = await load(file, text);
    // cosmiconfig reads the key `portolan` from every file of this name.
    if (basename(file, extname(file)) !== 'package') return { portolan: loaded };
    const own = isPlainMap(loaded.value) ? loaded.value['portolan'] : undefined;
    if (own === undefined || isPluginManifest(own)) return {};
    const positionOf: PositionFinder = (place) => loaded.positionOf(['portolan', ...place]);
    return { portolan: { portolan: { value: own, positionOf } } };
  };
}

/** Returns whether the key `portolan` of a package.json is a plugin manifest rather than a configuration. */
function isPluginManifest(value: unknown): boolean {
  return isPlainMap(value) && 'plugin' in value && 'apiVersion' in value;
}

function toFoundConfig(result: NonNullable<Awaited<ReturnType<Explorer['load']>>>): LoadedConfig {
  // Undefined for an empty file, because cosmiconfig runs no loader for it.
  const loaded = (result.config as Wrapped | undefined)?.portolan;
  const positionOf = loaded?.positionOf ?? nowhere;
  const file = result.filepath;
  try {
    const { value, problems } = copyPlainData(loaded?.value, positionOf);
    const all = [...(loaded?.problems ?? []), ...problems];
    return { file, directory: dirname(file), value, positionOf, problems: all };
  } catch (error) {
    // A module may export getters that throw or never end.
    throw configCode(file, `reading its default export failed: ${describeThrown(error)}`, error);
  }
}
