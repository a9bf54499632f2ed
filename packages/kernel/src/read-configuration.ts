import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BootOptions, ShippedKinds } from './boot-options.ts';
import { type ComposedSchema, composeSchema } from './config/compose-schema.ts';
import type { ValidatedConfig } from './config/assemble-config.ts';
import { type FoundConfig, findConfig } from './config/find-config.ts';
import { AUDIT } from './config/core-schema.ts';
import { environmentName } from './config/environment-names.ts';
import { isPlainMap } from './config/plain-data.ts';
import { validateConfig } from './config/validate-config.ts';
import { collectKinds, type KindTable, nameKinds } from './kinds/kind-table.ts';
import { checkApiVersions } from './plugins/check-api-version.ts';
import { importPlugins, type LoadedPlugin } from './plugins/import-plugin.ts';
import { readManifests } from './plugins/read-manifest.ts';
import { listReferences, type PluginReference, resolvePlugins } from './plugins/resolve-plugin.ts';
import type { SecretValues } from './secret-values.ts';

export interface LoadedKinds {
  readonly plugins: readonly LoadedPlugin[];
  readonly kinds: KindTable;
}

export interface ReadConfiguration extends LoadedKinds {
  readonly found: FoundConfig;
  readonly schema: ComposedSchema;
  readonly validated: ValidatedConfig;
}

/** For hosts that ship no kinds. */
export const NOTHING_SHIPPED: ShippedKinds = { sources: {}, authProviders: {}, middleware: {} };

/**
 * The boot path up to the point where nothing has been created: what `portolan
 * config check` runs. With `again`, a configuration that is code runs anew.
 */
export async function readConfiguration(
  options: BootOptions,
  secrets: SecretValues,
  { again = false }: { readonly again?: boolean } = {},
): Promise<ReadConfiguration> {
  const { environment, flags = {}, shipped = NOTHING_SHIPPED, signal } = options;
  const found = await findConfig(options, { again });
  signal?.throwIfAborted();
  const mode = effectiveMode(found.value, options);
  const usesAudit = isAuditUsed(found.value, options);
  const middleware = middlewareOf(found.value);
  const used = usedKinds(
    found.value,
    mode === undefined ? [] : [mode],
    usesAudit ? [AUDIT, ...middleware] : middleware,
    shipped,
  );
  const { plugins, kinds } = await loadKinds(found, used, options);
  signal?.throwIfAborted();
  const schema = composeSchema({
    kinds,
    names: nameKinds(kinds, shipped),
    mode,
    middleware,
    usesAudit,
  });
  const validated = await validateConfig({ found, schema, kinds, plugins, environment, flags, secrets });
  return { found, plugins, kinds, schema, validated };
}

/** The part of the boot path that loads plugins: those of the configuration, and those shipped packages. */
export async function loadKinds(
  found: Pick<FoundConfig, 'file' | 'directory' | 'value'>,
  shippedPackages: readonly string[],
  options: BootOptions,
): Promise<LoadedKinds> {
  const from = lookUpFrom(found);
  const references = [
    ...shippedPackages.map((name) => shippedReference(name, options.shippedFrom ?? from)),
    ...listReferences(found.value, from),
  ];
  const resolved = resolvePlugins(references);
  const described = await readManifests(resolved);
  checkApiVersions(described);
  const plugins = await importPlugins(described, options.pluginObjects, options.pluginTimeoutMs);
  return { plugins, kinds: collectKinds(plugins, options.shipped ?? NOTHING_SHIPPED) };
}

/**
 * Imports one shipped package by itself, as `loadKinds` does. Throws
 * ERR_PLUGIN_*. `from` is the file of the configuration, if there is one.
 */
export async function loadShipped(
  packageName: string,
  from: string,
  options: BootOptions,
): Promise<LoadedPlugin> {
  const references = [shippedReference(packageName, options.shippedFrom ?? from)];
  const described = await readManifests(resolvePlugins(references));
  checkApiVersions(described);
  const [plugin] = await importPlugins(described, [], options.pluginTimeoutMs);
  if (plugin === undefined) throw new Error(`the shipped package ${packageName} was not imported`);
  return plugin;
}

/** The file that names of plugins are looked up from; where there is none, one that could be. */
export function lookUpFrom({ file, directory }: Pick<FoundConfig, 'file' | 'directory'>): string {
  return file ?? join(directory, 'portolan.config.yaml');
}

function shippedReference(specifier: string, from: string): PluginReference {
  return {
    specifier,
    options: {},
    optionsPlace: ['plugins'],
    override: false,
    shipped: true,
    from: from.startsWith('file:') ? fileURLToPath(from) : from,
  };
}

/** Which auth mode will count is needed before the check, since it says which provider to load. */
function effectiveMode(config: unknown, { flags, environment }: BootOptions): string | undefined {
  const auth = isPlainMap(config) ? config['auth'] : undefined;
  const mode =
    flags?.['auth.mode'] ||
    environment[environmentName(['auth', 'mode'])] ||
    (isPlainMap(auth) ? auth['mode'] : undefined);
  return typeof mode === 'string' ? mode : undefined;
}

/**
 * Whether there are settings below `audit`: in the file, or from outside it. The
 * latter do not count where the file spells them `middleware.audit`.
 */
function isAuditUsed(config: unknown, { flags, environment }: BootOptions): boolean {
  if (isPlainMap(config) && Object.hasOwn(config, AUDIT)) return true;
  if (middlewareOf(config).includes(AUDIT)) return false;
  const variables = Object.keys(environment).filter((name) => (environment[name] ?? '') !== '');
  return (
    variables.some((name) => name.startsWith(`${environmentName([AUDIT])}_`)) ||
    Object.keys(flags ?? {}).some((path) => path.startsWith(`${AUDIT}.`))
  );
}

/** The packages of the shipped kinds that a configuration uses. */
function usedKinds(
  config: unknown,
  modes: readonly string[],
  middleware: readonly string[],
  shipped: ShippedKinds,
): readonly string[] {
  const sources = isPlainMap(config) && Array.isArray(config['sources']) ? config['sources'] : [];
  const keys = sources.flatMap((source: unknown) => (isPlainMap(source) ? Object.keys(source) : []));
  const packages = [
    ...pick(shipped.sources, keys),
    ...pick(shipped.authProviders, modes),
    ...pick(shipped.middleware, middleware),
  ];
  return [...new Set(packages)];
}

/** The packages of all shipped kinds. */
export function allShipped(shipped: ShippedKinds = NOTHING_SHIPPED): readonly string[] {
  const lists: readonly (Readonly<Record<string, string>> | undefined)[] = Object.values(shipped);
  return [...new Set(lists.flatMap((list) => Object.values(list ?? {})))];
}

function pick(packages: Readonly<Record<string, string>>, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => (Object.hasOwn(packages, name) ? [packages[name]!] : []));
}

function middlewareOf(config: unknown): readonly string[] {
  const middleware = isPlainMap(config) ? config['middleware'] : undefined;
  return isPlainMap(middleware) ? Object.keys(middleware) : [];
}
