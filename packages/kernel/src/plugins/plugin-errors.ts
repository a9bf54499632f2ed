import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { describeThrown } from '../faults/describe-thrown.ts';
import { moduleName } from '../faults/find-misplaced-module.ts';
import type { SyntaxPosition } from '../faults/find-syntax-position.ts';

export interface PluginOrigin {
  readonly plugin: string;
  readonly file: string;
}

/** Creates the error for an installed plugin that is gone. `from` is the file that lists it as installed. */
export function installedPluginNotFound(specifier: string, from: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_NOT_FOUND',
    'mistake',
    `The plugin "${specifier}", installed according to ${from}, cannot be found.`,
    {
      hint: `Install it again (portolan plugins install ${specifier}), or remove it (portolan plugins uninstall ${specifier}).`,
      cause,
    },
  );
}

/** Creates the error for a configured plugin whose package or file does not exist. */
export function pluginNotFound(specifier: string, from: string, cause?: unknown): PortolanError {
  const path = /^(?:\.{1,2}[\\/]|[\\/]|file:)/.test(specifier);
  return new PortolanError(
    'ERR_PLUGIN_NOT_FOUND',
    'mistake',
    `The plugin "${specifier}", named by ${from}, cannot be found.`,
    {
      hint: path
        ? 'Correct the path, which is relative to the folder of the configuration, or remove the plugin.'
        : `Install it in the folder of the configuration (npm install ${specifier}), correct its name, or remove it.`,
      cause,
    },
  );
}

/** Creates the error for a package without a valid plugin manifest. */
export function pluginManifest(plugin: string, file: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `The plugin "${plugin}" (${file}) has no valid manifest: ${what}.`,
    {
      hint: 'Write "portolan": { "plugin": ".", "apiVersion": 2 } in its package.json, and "exports" with a "default" condition.',
    },
  );
}

/** Creates the error for a plugin with an unsupported version of the contract. */
export function pluginApiVersion(
  place: PluginOrigin,
  actual: unknown,
  served: readonly number[],
): PortolanError {
  const newest = Math.max(...served);
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) was written for version ${shortly(actual)} of the plugin contract; ` +
      `this Portolan supports ${served.join(' and ')}.`,
    {
      hint:
        typeof actual === 'number' && actual > newest
          ? 'Update Portolan, or install a release of the plugin for a supported version.'
          : 'Update the plugin.',
    },
  );
}

/** Creates the error for a plugin whose manifest and object declare different versions of the contract. */
export function pluginApiVersionsDiffer(
  place: PluginOrigin,
  manifest: number,
  actual: unknown,
): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) has apiVersion ${manifest} in its package.json and` +
      `${shortly(actual)} in its plugin object.`,
    { hint: 'Install another release of the plugin. Its author must make both values equal.' },
  );
}

/** Creates the error for an ES module plugin in a folder whose package.json declares CommonJS. */
export function pluginMisplaced({ plugin, file }: PluginOrigin, packageJson: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_IMPORT',
    'mistake',
    `The plugin "${plugin}" (${file}) cannot be imported: it is an ES module, but ${packageJson} has "type": "commonjs".`,
    { hint: `Write "type": "module" in ${packageJson}, or rename the file to ${moduleName(file)}.` },
  );
}

/** Creates the error for a plugin that failed to load. `at` is the position of a syntax error. */
export function pluginImport(place: PluginOrigin, cause: unknown, at?: SyntaxPosition): PortolanError {
  const what = `${cause instanceof SyntaxError ? 'syntax error: ' : ''}${asClause(cause)}${inText(at, place.file)}`;
  return new PortolanError(
    'ERR_PLUGIN_IMPORT',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) cannot be imported: ${what}.`,
    { hint: importHint(cause), cause },
  );
}

/** Creates the error for a default export that is not a plugin object. */
export function pluginShape(place: PluginOrigin, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) is broken: ${what}.`,
    {
      hint: 'Export by default an object with name, apiVersion and, if the plugin adds kinds, contributes.',
      cause,
    },
  );
}

/** Creates the error for two items of `plugins` that are the same plugin or have the same name. */
export function pluginTwice(first: PluginOrigin, second: PluginOrigin): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_KIND_CLASH',
    'mistake',
    `The plugin "${second.plugin}" is loaded twice: from ${first.file} and from ${second.file}.`,
    { hint: 'Remove one of the two from "plugins", or give the plugins different names.' },
  );
}

/** Creates the error for a plugin's `apply` that threw. The cause contains no secret. */
export function pluginApply(place: PluginOrigin, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_CREATE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) failed in its apply: ${asClause(cause)}.`,
    { hint: hintOf(cause) ?? 'Check the options of the plugin, or ask its author.', cause },
  );
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

function inText(at: SyntaxPosition | undefined, file: string): string {
  if (at === undefined) return '';
  return ` (${at.file === file ? '' : `${at.file}, `}line ${at.line}, column ${at.column})`;
}

function hintOf(cause: unknown): string | undefined {
  return isPortolanError(cause) ? cause.hint : undefined;
}

function shortly(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? JSON.stringify(value) : typeof value;
}

function asClause(thrown: unknown): string {
  return describeThrown(thrown).replace(/\.$/, '');
}
