import { isPortolanError, type Plugin, type PortolanError } from '@portolan/plugin-api';
import { AUTH_KEYS } from '../config/auth-schema.ts';
import { SOURCE_KEYS } from '../config/core-schema.ts';
import { describeValue, oneOf } from '../faults/describe-value.ts';
import { describeThrown } from '../faults/describe-thrown.ts';
import { type PluginPlace, pluginApiVersion, pluginApiVersionsDiffer, pluginShape } from '../errors.ts';
import { SERVED_API_VERSIONS } from './check-api-version.ts';
import { findBlockFault } from './find-block-fault.ts';
import { findUnknownPart } from './find-unknown-part.ts';

type Fault = (what: string) => PortolanError;

/**
 * The value as a plugin. Throws ERR_PLUGIN_SHAPE with the first thing that is
 * wrong with it, and ERR_PLUGIN_API_VERSION when it is for another version of
 * the contract, or for another one than its manifest says.
 */
export function checkPluginShape(value: unknown, place: PluginPlace, manifestVersion?: number): Plugin {
  try {
    checkParts(value, place, manifestVersion);
  } catch (error) {
    // Even looking at a part may run the plugin's code.
    throw isPortolanError(error)
      ? error
      : pluginShape(place, `reading it failed: ${describeThrown(error)}`, error);
  }
  // Every part of the type was looked at above.
  return value as Plugin;
}

function checkParts(value: unknown, place: PluginPlace, manifestVersion: number | undefined): void {
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
const KIND_PARTS = [
  'kind',
  'create',
  'config',
  'claimsFrom',
  'identifies',
  'host',
  'placed',
  'reaches',
  'check',
  'carries',
  'packages',
  'can',
] as const;

/** A plugin or kind may be an instance of a class: its parts are then not its own. */
function partsOf<Part extends string>(
  value: object,
  parts: readonly Part[],
): Readonly<Partial<Record<Part, unknown>>> {
  const found: Partial<Record<Part, unknown>> = {};
  for (const part of parts) found[part] = Reflect.get(value, part);
  return found;
}

type KindParts = ReturnType<typeof partsOf<(typeof KIND_PARTS)[number]>>;
type CheckKind = (kind: KindParts, fault: Fault) => void;

const CHECKS: Readonly<Record<string, CheckKind>> = {
  sources: (kind, fault) => {
    checkChoice(kind, 'claimsFrom', ['source', 'entry', 'publisher'], fault);
    if (kind.reaches !== undefined && typeof kind.reaches !== 'function')
      throw fault('"reaches" is no function');
    if ((SOURCE_KEYS as readonly unknown[]).includes(kind.kind))
      throw fault('its name is a key of every source');
  },
  authProviders: (kind, fault) => {
    if (typeof kind.identifies !== 'boolean') throw fault('"identifies" is not true or false');
    if ((AUTH_KEYS as readonly unknown[]).includes(kind.kind)) throw fault('its name is a key of "auth"');
  },
  middleware: (kind, fault) => {
    checkChoice(kind, 'host', ['registry-server'], fault);
    const { placed } = kind;
    const steps = typeof placed === 'object' && placed !== null ? Object.entries(placed) : [];
    const [side, step] = steps.length === 1 ? (steps[0] ?? []) : [];
    if ((side !== 'before' && side !== 'after') || typeof step !== 'string') {
      throw fault('"placed" is not { before: STEP } or { after: STEP }');
    }
  },
  runtimes: () => undefined,
  transports: (kind, fault) => {
    checkChoice(kind, 'carries', ['messages', 'http'], fault);
  },
  schemes: (kind, fault) => {
    // The name stands before `://`, in which capitals count for nothing.
    if (typeof kind.kind === 'string' && kind.kind !== kind.kind.toLowerCase())
      throw fault('the name of a scheme has no capitals');
    if (['http', 'https', 'file'].includes(String(kind.kind)))
      throw fault('its name is a scheme of addresses');
    if (typeof kind.packages !== 'function')
      checkChoice(kind, 'packages', ['npm', 'python', 'go'], fault, ' or a function');
  },
  secretStores: (kind, fault) => {
    const abilities = ['set', 'delete', 'list'];
    const { can } = kind;
    if (!Array.isArray(can) || !can.every((ability) => abilities.includes(ability)))
      throw fault(`"can" is no list of ${oneOf(abilities)}`);
  },
};

function checkContributions(contributes: unknown, fault: Fault): void {
  if (typeof contributes !== 'object' || contributes === null || Array.isArray(contributes)) {
    throw fault(`its "contributes" is ${describeValue(contributes)}, not a map`);
  }
  for (const [list, kinds] of Object.entries(contributes)) {
    const check = Object.hasOwn(CHECKS, list) ? CHECKS[list] : undefined;
    if (check === undefined) {
      throw fault(`its "contributes" has "${list}", which is not ${oneOf(Object.keys(CHECKS))}`);
    }
    if (kinds === undefined) continue;
    if (!Array.isArray(kinds)) throw fault(`"contributes.${list}" is ${describeValue(kinds)}, not a list`);
    for (const [index, kind] of kinds.entries())
      checkKind(kind, { list, place: `contributes.${list}[${index}]` }, check, fault);
  }
}

/** Others have named what secrets are kept in: `1password`. Everything else begins with a letter, as a scheme must (RFC 3986, 3.1). */
const NAME = /^[a-z][A-Za-z0-9-]*$/;
const NAME_OF_SECRET_STORE = /^[0-9]*[a-z][A-Za-z0-9-]*$/;

function checkKind(
  kind: unknown,
  { list, place }: { readonly list: string; readonly place: string },
  check: CheckKind,
  pluginFault: Fault,
): void {
  if (typeof kind !== 'object' || kind === null)
    throw pluginFault(`"${place}" is ${describeValue(kind)}, not a kind`);
  const parts = partsOf(kind, KIND_PARTS);
  const name = parts.kind;
  const pattern = list === 'secretStores' ? NAME_OF_SECRET_STORE : NAME;
  if (typeof name !== 'string' || !pattern.test(name)) {
    throw pluginFault(
      `"${place}.kind" is ${describeValue(name)}; expected a name such as "wiki" or "s3-bucket"`,
    );
  }
  const fault: Fault = (what) => pluginFault(`the kind "${name}" (${place}) is broken: ${what}`);
  const unknown = findUnknownPart(kind, { what: 'kind', parts: KIND_PARTS });
  if (unknown !== undefined) throw fault(unknown);
  if (typeof parts.create !== 'function') throw fault('it has no function "create"');
  if (parts.check !== undefined && typeof parts.check !== 'function') throw fault('"check" is no function');
  checkBlock(parts.config, 'config', fault);
  check(parts, fault);
}

function checkChoice(
  kind: KindParts,
  part: keyof KindParts,
  choices: readonly string[],
  fault: Fault,
  orElse = '',
): void {
  const value = kind[part];
  if (typeof value !== 'string' || !choices.includes(value)) {
    throw fault(`"${part}" is ${describeValue(value)}, not ${oneOf(choices)}${orElse}`);
  }
}

/** The block of a kind or of options is one of a map. */
function checkBlock(block: unknown, part: string, fault: Fault): void {
  const found = findBlockFault(block, part);
  if (found !== undefined) throw fault(found);
  if (Reflect.get(Object(block), 'type') !== 'object')
    throw fault(`"${part}" is no config block of type "object"`);
}
