import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { type ConfigProblem, printProblems } from './faults/config-problem.ts';
import { describeThrown } from './faults/describe-thrown.ts';
import { moduleName } from './faults/find-misplaced-module.ts';
import type { SyntaxPlace } from './faults/find-syntax-place.ts';

/** No configuration file was named, and none lies where one is looked for. */
export function configNotFound(searchFrom: string, places: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_NOT_FOUND',
    'mistake',
    `No configuration found in ${searchFrom} or above it.`,
    { hint: `Name a file with --config, or create one of ${places.join(', ')}.` },
  );
}

/** The configuration file does not exist, is a folder, or may not be read. */
export function configUnreadable(file: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_UNREADABLE',
    'mistake',
    `The configuration ${file} cannot be read: ${whyUnreadable(cause)}.`,
    {
      hint: 'Check the path given with --config, and that this user may read the file.',
      cause,
    },
  );
}

/** The configuration file is not well-formed YAML or JSON. `line` and `column` count from one. */
export function configSyntax(
  file: string,
  fault: { readonly line: number; readonly column: number; readonly what: string },
): PortolanError {
  const place = `${file}:${fault.line}:${fault.column}`;
  return new PortolanError('ERR_CONFIG_SYNTAX', 'mistake', `${place} cannot be parsed: ${fault.what}.`, {
    hint: 'Correct the text at this line and column.',
  });
}

/** The configuration file has an ending that no reader exists for, or no setting in it. */
export function configFormat(file: string, found: string): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_FORMAT',
    'mistake',
    `The configuration ${file} cannot be used: ${found}.`,
    {
      hint: 'Use a file that ends in .yaml, .yml, .json, .ts, .js or .mjs, or the key "portolan" of package.json.',
    },
  );
}

/** A configuration that is an ES module lies in a folder whose package.json says that its files are CommonJS. */
export function configMisplaced(file: string, packageJson: string): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_CODE',
    'mistake',
    `The configuration ${file} cannot be imported: it is an ES module, and ${packageJson} says "type": "commonjs".`,
    {
      hint: `Write "type": "module" in ${packageJson}, or call the file ${moduleName(file)} and name it with --config.`,
    },
  );
}

/** A configuration that is code failed when it was imported or read, or exports nothing by default. */
export function configCode(file: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_CONFIG_CODE',
    'mistake',
    `The configuration ${file} cannot be imported: ${what}.`,
    {
      hint:
        cause === undefined
          ? 'Export the configuration by default: `export default { sources: [], registries: [], auth: {} }`.'
          : 'Correct the file: it is run as it stands, and TypeScript in it may only be types.',
      cause,
    },
  );
}

/**
 * The configuration was read, but not all of it can be used. The error carries
 * every problem under `problems`; its message prints them all.
 */
export function configInvalid(
  file: string | undefined,
  problems: readonly ConfigProblem[],
): PortolanError & { readonly problems: readonly ConfigProblem[] } {
  const text = printProblems(file ?? 'The configuration', problems);
  return Object.assign(new PortolanError('ERR_CONFIG_INVALID', 'mistake', text), { problems });
}

/** A source that was to be made through the API cannot be: the error carries every problem under `problems`. */
export function sourceInvalid(
  problems: readonly ConfigProblem[],
): PortolanError & { readonly problems: readonly ConfigProblem[] } {
  const sentences = problems.map(({ place, found, expected, didYouMean }) => {
    const more = didYouMean === undefined ? '' : ` (did you mean "${didYouMean}"?)`;
    return `${place}: found ${found}; expected ${expected}${more}`;
  });
  const text = `The source cannot be used. ${sentences.join('. ')}.`;
  return Object.assign(new PortolanError('ERR_SOURCE_INVALID', 'mistake', text), { problems });
}

/** The kind itself refuses a source that was to be made through the API, in words that are meant for people. */
export function sourceRefused(cause: PortolanError): PortolanError {
  return new PortolanError('ERR_SOURCE_INVALID', 'mistake', `The source cannot be used. ${cause.message}`, {
    ...(cause.hint === undefined ? {} : { hint: cause.hint }),
    cause,
  });
}

/** What errors about one plugin name: how it was asked for, and where it lies. */
export interface PluginPlace {
  /** As it stands in the configuration, or the name the plugin gives itself. */
  readonly plugin: string;
  readonly file: string;
}

/** A plugin that was installed by itself is gone. `from` is the file that says that it is installed. */
export function installedPluginNotFound(specifier: string, from: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_NOT_FOUND',
    'mistake',
    `The plugin "${specifier}", installed according to ${from}, cannot be found.`,
    {
      hint: `Install it again (portolan plugins install ${specifier}), or take it out (portolan plugins uninstall ${specifier}).`,
      cause,
    },
  );
}

/** The package or file that the configuration names as a plugin does not exist. */
export function pluginNotFound(specifier: string, from: string, cause?: unknown): PortolanError {
  const path = /^(?:\.{1,2}[\\/]|[\\/]|file:)/.test(specifier);
  return new PortolanError(
    'ERR_PLUGIN_NOT_FOUND',
    'mistake',
    `The plugin "${specifier}", named by ${from}, cannot be found.`,
    {
      hint: path
        ? 'Paths of plugins start at the folder of the configuration; correct it, or take the plugin out.'
        : `Install it beside the configuration (npm install ${specifier}), correct its name, or take it out.`,
      cause,
    },
  );
}

/** A package is no Portolan plugin, or says so in a way that cannot be read. */
export function pluginManifest(plugin: string, file: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_MANIFEST',
    'mistake',
    `The plugin "${plugin}" (${file}) has no usable manifest: ${what}.`,
    {
      hint: 'Its package.json needs "portolan": { "plugin": ".", "apiVersion": 1 }, and "exports" with a "default" condition.',
    },
  );
}

/** A plugin was written for a version of the contract that is not served here. */
export function pluginApiVersion(
  place: PluginPlace,
  found: unknown,
  served: readonly number[],
): PortolanError {
  const newest = Math.max(...served);
  return new PortolanError(
    'ERR_PLUGIN_API_VERSION',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) was written for version ${shortly(found)} of the plugin contract; ` +
      `this Portolan serves ${served.join(' and ')}.`,
    {
      hint:
        typeof found === 'number' && found > newest
          ? 'Update Portolan, or install a release of the plugin for a version that is served.'
          : 'Update the plugin.',
    },
  );
}

/** A plugin's manifest and its plugin object name different versions of the contract. */
export function pluginApiVersionsDiffer(place: PluginPlace, manifest: number, found: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_API_VERSION',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) says apiVersion ${manifest} in its package.json and ` +
      `${shortly(found)} in its plugin object.`,
    { hint: 'The author of the plugin has to make the two equal; install another release of it.' },
  );
}

/** A plugin is an ES module in a folder whose package.json says that its files are CommonJS. */
export function pluginMisplaced({ plugin, file }: PluginPlace, packageJson: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_IMPORT',
    'mistake',
    `The plugin "${plugin}" (${file}) cannot be imported: it is an ES module, and ${packageJson} says "type": "commonjs".`,
    { hint: `Write "type": "module" in ${packageJson}, or call the file ${moduleName(file)}.` },
  );
}

/** A plugin's code failed while it was loaded. `at` is the place of a syntax error. */
export function pluginImport(place: PluginPlace, cause: unknown, at?: SyntaxPlace): PortolanError {
  const what = `${cause instanceof SyntaxError ? 'syntax error: ' : ''}${asClause(cause)}${inText(at, place.file)}`;
  return new PortolanError(
    'ERR_PLUGIN_IMPORT',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) cannot be imported: ${what}.`,
    { hint: importHint(cause), cause },
  );
}

/** What a plugin exports by default is no plugin object. */
export function pluginShape(place: PluginPlace, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) is broken: ${what}.`,
    {
      hint: 'A plugin exports by default an object with name, apiVersion and, if it adds kinds, contributes.',
      cause,
    },
  );
}

/** Two items of `plugins` are the same plugin, or call themselves by the same name. */
export function pluginTwice(first: PluginPlace, second: PluginPlace): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_TWICE',
    'mistake',
    `The plugin "${second.plugin}" is loaded twice: from ${first.file} and from ${second.file}.`,
    { hint: 'Take one of the two out of "plugins", or give the plugins different names.' },
  );
}

/** Two configured plugins bring a kind of the same name. */
export function kindClash(what: string, first: PluginPlace, second: PluginPlace): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_KIND_CLASH',
    'mistake',
    `The ${what} comes from two plugins: "${first.plugin}" (${first.file}) and "${second.plugin}" (${second.file}).`,
    { hint: 'Take one of the two out of "plugins".' },
  );
}

/** A configured plugin brings a kind that Portolan ships, and was not told to replace it. */
export function kindShipped(what: string, shipped: string, configured: PluginPlace): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_KIND_SHIPPED',
    'mistake',
    `The ${what} of the plugin "${configured.plugin}" (${configured.file}) already comes with Portolan, from "${shipped}".`,
    {
      hint: 'If it shall replace the shipped one, write { use: ..., override: true } in "plugins"; otherwise take it out.',
    },
  );
}

/** Nothing brings a kind of this name. `sort` is what it would be a kind of: `transport`. */
export function kindUnknown(sort: string, name: string, known: readonly string[]): PortolanError {
  const which = known.length === 0 ? 'there is none' : `there is ${known.join(', ')}`;
  return new PortolanError(
    'ERR_KIND_UNKNOWN',
    'mistake',
    `There is no ${sort} ${JSON.stringify(name)}: ${which}.`,
    {
      hint: 'Correct the name, or name the plugin that brings it in "plugins" of the configuration. `portolan kinds` lists all.',
    },
  );
}

/** A kind's `check` threw. The cause holds no secret. */
export function kindCheckFailed(place: PluginPlace, kind: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_CHECK',
    'fault',
    `The plugin "${place.plugin}" (${place.file}) failed in "check" of its kind "${kind}": ${asClause(cause)}.`,
    { hint: hintOf(cause) ?? 'Check the settings of this kind, or ask the author of the plugin.', cause },
  );
}

/** A kind's `check` answered with something that is no list of problems. */
export function kindCheckBroken(place: PluginPlace, kind: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_CHECK',
    'fault',
    `The plugin "${place.plugin}" (${place.file}) is broken: "check" of its kind "${kind}" returned ${what}.`,
    {
      hint: 'The author of the plugin has to correct it: a list of { place, found, expected }, empty when nothing is wrong.',
    },
  );
}

/** A kind's `create` threw. `where` is what it was called for; the cause holds no secret. */
export function instanceFailed(place: PluginPlace, where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_CREATE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) could not create ${where}: ${asClause(cause)}.`,
    { hint: hintOf(cause) ?? 'Check the settings at this place, or ask the author of the plugin.', cause },
  );
}

/** A kind's `create` returned something that is no instance of its kind. */
export function instanceBroken(place: PluginPlace, where: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_INSTANCE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) is broken: for ${where}, its create returned ${what}.`,
    { hint: 'The author of the plugin has to correct it; install another release, or take it out.' },
  );
}

/** A plugin's `apply` threw. The cause holds no secret. */
export function pluginApply(place: PluginPlace, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_APPLY',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) failed in its apply: ${asClause(cause)}.`,
    { hint: hintOf(cause) ?? 'Check the options of the plugin, or ask its author.', cause },
  );
}

/**
 * A tap threw, or answered with something it may not. Its own message stands in
 * the cause only: this one may be shown to whoever sent the request.
 */
export function hookFailed(plugin: string, hook: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_HOOK',
    'fault',
    `The plugin "${plugin}" failed in the hook "${hook}": ${what}.`,
    {
      hint: 'The log has the cause. Until it is corrected, take the plugin out of "plugins".',
      cause,
    },
  );
}

/** A call into a plugin did not come back. Goes into the error that names the plugin, as its cause. */
export function tookTooLong(limitMs: number): Error {
  return new Error(`it did not finish within ${limitMs / 1000} s`);
}

function whyUnreadable(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'it does not exist';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it';
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}

function importHint(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') {
    return 'Packages have to publish JavaScript: Node.js runs no TypeScript below node_modules.';
  }
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
    return 'Something that the plugin itself imports is missing; install its dependencies.';
  }
  return 'Correct the plugin, install another release of it, or take it out of "plugins".';
}

function inText(at: SyntaxPlace | undefined, file: string): string {
  if (at === undefined) return '';
  return ` (${at.file === file ? '' : `${at.file}, `}line ${at.line}, column ${at.column})`;
}

function hintOf(cause: unknown): string | undefined {
  return isPortolanError(cause) ? cause.hint : undefined;
}

function shortly(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? JSON.stringify(value) : typeof value;
}

/** What was thrown, to stand before the end of a sentence. */
function asClause(thrown: unknown): string {
  return describeThrown(thrown).replace(/\.$/, '');
}
