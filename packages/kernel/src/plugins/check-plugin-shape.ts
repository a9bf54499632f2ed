import { isPortolanError, type Plugin, nearest } from '@portolan/plugin-api';
import { describeValue, oneOf } from '../faults/describe-value.ts';
import { describeThrown } from '../faults/describe-thrown.ts';
import {
  type PluginOrigin,
  pluginApiVersion,
  pluginApiVersionsDiffer,
  pluginShape,
} from './plugin-errors.ts';
import { KIND_LIST_NAMES, KIND_PARTS, rowOf } from '../kind-lists/kind-lists.ts';
import type { Fault } from '../kind-lists/kind-shape.ts';
import { isBuiltIn } from '../hooks/is-built-in.ts';
import { SERVED_API_VERSIONS } from './check-api-version.ts';
import { findBlockFault } from './find-block-fault.ts';
import { isPlainMap } from '../config/plain-data.ts';

/**
 * Validates a value as a plugin. Throws ERR_PLUGIN_SHAPE with the first fault. An unsupported API version, or
 * one that differs from the manifest, is a fault too.
 */
export function checkPluginShape(value: unknown, place: PluginOrigin, manifestVersion?: number): Plugin {
  try {
    checkParts(value, place, manifestVersion);
  } catch (error) {
    // Reading a property may run the plugin's code.
    throw isPortolanError(error)
      ? error
      : pluginShape(place, `reading it failed: ${describeThrown(error)}`, error);
  }
  // Every part of the type was checked above.
  return value as Plugin;
}

function checkParts(value: unknown, place: PluginOrigin, manifestVersion: number | undefined): void {
  const fault: Fault = (what) => pluginShape(place, what);
  if (value === undefined) throw fault('it has no default export');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fault(`its default export is ${describeValue(value)}, not a plugin object`);
  }
  const { name, apiVersion, options, contributes, apply, close } = partsOf(value, PLUGIN_PARTS);
  if (manifestVersion !== undefined && typeof apiVersion === 'number' && apiVersion !== manifestVersion) {
    throw pluginApiVersionsDiffer(place, manifestVersion, apiVersion);
  }
  if (typeof name !== 'string' || name.trim() === '') throw fault('it has no name');
  if (isBuiltIn(name)) throw fault(`its name is "${name}", and names like it are those of what is built in`);
  if (typeof apiVersion !== 'number') throw fault('its apiVersion is no number');
  if (!SERVED_API_VERSIONS.includes(apiVersion))
    throw pluginApiVersion(place, apiVersion, SERVED_API_VERSIONS);
  const unknown = findUnknownPart(value, { what: 'plugin', parts: PLUGIN_PARTS });
  if (unknown !== undefined) throw fault(unknown);
  if (apply !== undefined && typeof apply !== 'function') throw fault('its apply is no function');
  if (close !== undefined && typeof close !== 'function') throw fault('its close is no function');
  if (options !== undefined) checkBlock(options, 'options', fault);
  if (contributes !== undefined) checkContributions(contributes, fault);
}

const PLUGIN_PARTS = ['name', 'apiVersion', 'options', 'contributes', 'apply', 'close'] as const;
/**
 * Returns the named properties of a plugin. They may be inherited, because a plugin may be an instance of a
 * class.
 */
function partsOf<Part extends string>(
  value: object,
  parts: readonly Part[],
): Readonly<Partial<Record<Part, unknown>>> {
  const match: Partial<Record<Part, unknown>> = {};
  for (const part of parts) match[part] = Reflect.get(value, part);
  return match;
}

function checkContributions(contributes: unknown, fault: Fault): void {
  if (typeof contributes !== 'object' || contributes === null || Array.isArray(contributes)) {
    throw fault(`its "contributes" is ${describeValue(contributes)}, not a map`);
  }
  for (const [list, kinds] of Object.entries(contributes)) {
    const row = rowOf(list);
    if (row === undefined) {
      throw fault(`its "contributes" has "${list}", which is not ${oneOf(KIND_LIST_NAMES)}`);
    }
    if (kinds === undefined) continue;
    if (!Array.isArray(kinds)) throw fault(`"contributes.${list}" is ${describeValue(kinds)}, not a list`);
    for (const [index, kind] of kinds.entries()) checkKind(kind, `contributes.${list}[${index}]`, row, fault);
  }
}

/** Matches the name of a kind. It begins with a letter, because a URI scheme must (RFC 3986, section 3.1). */
const NAME = /^[a-z][A-Za-z0-9-]*$/;

function checkKind(
  kind: unknown,
  place: string,
  row: NonNullable<ReturnType<typeof rowOf>>,
  pluginFault: Fault,
): void {
  if (typeof kind !== 'object' || kind === null)
    throw pluginFault(`"${place}" is ${describeValue(kind)}, not a kind`);
  const part = (name: string): unknown => Reflect.get(kind, name);
  const name = part('kind');
  if (typeof name !== 'string' || !(row.names ?? NAME).test(name)) {
    throw pluginFault(
      `"${place}.kind" is ${describeValue(name)}; expected a name such as "wiki" or "s3-bucket"`,
    );
  }
  const fault: Fault = (what) => pluginFault(`the kind "${name}" (${place}) is broken: ${what}`);
  const unknown = findUnknownPart(kind, { what: 'kind', parts: KIND_PARTS });
  if (unknown !== undefined) throw fault(unknown);
  if (typeof part('create') !== 'function') throw fault('it has no function "create"');
  const check = part('check');
  if (check !== undefined && typeof check !== 'function') throw fault('"check" is no function');
  checkBlock(part('config'), 'config', fault);
  row.checkShape(part, fault);
}

function checkBlock(block: unknown, part: string, fault: Fault): void {
  const blockFault = findBlockFault(block, part);
  if (blockFault !== undefined) throw fault(blockFault);
  if (Reflect.get(Object(block), 'type') !== 'object')
    throw fault(`"${part}" is no config block of type "object"`);
}

/**
 * Returns the fault of an unknown property, such as a misspelt name that would otherwise be ignored.
 * Instances of a class may have further fields.
 */
function findUnknownPart(
  value: object,
  { what, parts }: { readonly what: string; readonly parts: readonly string[] },
): string | undefined {
  // a namespace may have further exports
  if (!isPlainMap(value) || Symbol.toStringTag in value) return undefined;
  const unknown = Object.keys(value).find((part) => !parts.includes(part));
  if (unknown === undefined) return undefined;
  const meant = nearest(unknown, parts);
  const instead = meant === undefined ? `; expected ${oneOf(parts)}` : ` (did you mean "${meant}"?)`;
  return `it has ${JSON.stringify(unknown)}, which no ${what} has${instead}`;
}
