import { NOTHING_SHIPPED } from '../plugins/plugin-origins.ts';
import { RefusedPlugins } from '../plugins/refused-plugin.ts';
import type { BootOptions } from './boot-options.ts';
import { type ComposedSchema, composeSchema } from './compose-schema.ts';
import type { ValidatedConfig } from './assemble-config.ts';
import { type LoadedConfig, findConfig } from '../config/find-config.ts';
import { AUDIT } from '../config/core-schema.ts';
import { telemetryBlock } from '../config/telemetry-schema.ts';
import { environmentName } from '../config/environment-names.ts';
import { isPlainMap } from '../config/plain-data.ts';
import { nameInstalledPlugins } from './name-installed.ts';
import { validateConfig } from './validate-config.ts';
import { nameKinds } from '../kinds/kind-table.ts';
import { middlewareOf, pagesOf, usedPackages } from '../kinds/shipped-packages.ts';
import { type LoadedKinds, loadKinds } from '../kinds/load-kinds.ts';
import type { SecretValues } from '../logging/secret-values.ts';

export interface ReadConfiguration extends LoadedKinds {
  readonly loaded: LoadedConfig;
  readonly schema: ComposedSchema;
  readonly validated: ValidatedConfig;
}

/**
 * Runs the steps of a boot up to the creation of instances. With `again`, runs a configuration module again.
 * Reports problems of the configuration and plugins that cannot be loaded together. If the only fault is a
 * plugin, throws that plugin's own error.
 */
export async function readConfiguration(
  options: BootOptions,
  secrets: SecretValues,
  { again = false }: { readonly again?: boolean } = {},
): Promise<ReadConfiguration> {
  const { environment, flags = {}, shipped = NOTHING_SHIPPED, signal } = options;
  const loaded = await findConfig(options, { again });
  signal?.throwIfAborted();
  const mode = effectiveMode(loaded.value, options);
  const usesAudit = isAuditUsed(loaded.value, options);
  const middleware = middlewareOf(loaded.value);
  const exporter = usedExporter(loaded.value, options);
  const pages = pagesOf(loaded.value);
  const used = usedPackages(
    loaded.value,
    mode === undefined ? [] : [mode],
    usesAudit ? [AUDIT, ...middleware] : middleware,
    exporter === undefined ? [] : [exporter],
    pages,
    shipped,
  );
  const refused = new RefusedPlugins();
  const { plugins, kinds } = await loadKinds(loaded, used, options, refused);
  signal?.throwIfAborted();
  const schema = composeSchema({
    kinds,
    names: nameKinds(kinds, shipped, 'registry-server'),
    mode,
    middleware,
    usesAudit,
    exporter,
    pages,
  });
  const validation = { loaded, schema, kinds, plugins, environment, flags, secrets };
  try {
    const validated = await validateConfig({ ...validation, refused: refused.list });
    return { loaded, plugins, kinds, schema, validated };
  } catch (error) {
    throw await nameInstalledPlugins(error, loaded, options);
  }
}

function effectiveMode(config: unknown, { flags, environment }: BootOptions): string | undefined {
  const auth = isPlainMap(config) ? config['auth'] : undefined;
  const mode =
    flags?.['auth.mode'] ||
    environment[environmentName(['auth', 'mode'])] ||
    (isPlainMap(auth) ? auth['mode'] : undefined);
  return typeof mode === 'string' ? mode : undefined;
}

/**
 * Returns whether the file, the environment or flags set `audit`. When the file has `middleware.audit`,
 * environment and flags do not count.
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

/**
 * Returns the kind of exporter if `telemetry` has settings other than `metrics`. Otherwise undefined, so that
 * no exporter is imported.
 */
function usedExporter(config: unknown, { flags, environment }: BootOptions): string | undefined {
  const telemetry = isPlainMap(config) && isPlainMap(config['telemetry']) ? config['telemetry'] : {};
  const beginning = `${environmentName(['telemetry'])}_`;
  const metrics = `${environmentName(['telemetry', 'metrics'])}_`;
  const isUsed =
    Object.keys(telemetry).some((key) => key !== 'metrics') ||
    Object.keys(flags ?? {}).some((path) => path.startsWith('telemetry.')) ||
    Object.keys(environment).some(
      (name) => name.startsWith(beginning) && !name.startsWith(metrics) && (environment[name] ?? '') !== '',
    );
  if (!isUsed) return undefined;
  const named =
    flags?.['telemetry.exporter'] ||
    environment[environmentName(['telemetry', 'exporter'])] ||
    telemetry['exporter'];
  return typeof named === 'string' ? named : telemetryBlock.properties.exporter.default;
}
