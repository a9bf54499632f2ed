import type { ConfigBlock } from '@portolan/plugin-api';
import type { BootOptions } from './boot-options.ts';
import { composeConfigSchema } from './compose-schema.ts';
import type { PortolanConfig } from '../config/core-schema.ts';
import { findConfig, type LoadedConfig } from '../config/find-config.ts';
import type { JsonSchema } from '../config/json-schema.ts';
import type { KindTable } from '../kinds/kind-table.ts';
import { allShipped } from '../kinds/shipped-packages.ts';
import { type LoadedKinds, loadKinds } from '../kinds/load-kinds.ts';
import { checkOnlineByKind } from './check-by-kind.ts';
import { type ReadConfiguration, readConfiguration } from './read-configuration.ts';
import { configInvalid } from './validation-errors.ts';
import { SecretValues } from '../logging/secret-values.ts';

export interface CheckedConfiguration {
  readonly configFile: string | undefined;
  readonly directory: string;
  readonly config: PortolanConfig;
  readonly kinds: KindTable;
  readonly warnings: readonly string[];
  readonly secrets: SecretValues;
}

/**
 * Loads and validates the configuration without creating instances. With `isOnline`, also rejects identity
 * providers whose metadata shows that no token can be valid. Throws like `bootKernel`; ERR_CONFIG_INVALID
 * contains every problem.
 */
export async function checkConfig(
  options: BootOptions,
  { isOnline = false }: { readonly isOnline?: boolean } = {},
): Promise<CheckedConfiguration> {
  const secrets = new SecretValues();
  const { loaded, kinds, validated } = await readConfiguration(options, secrets);
  const { config, warnings } = validated;
  if (isOnline) await checkAuthOnline({ loaded, kinds, validated }, secrets, options.signal);
  return { configFile: loaded.file, directory: loaded.directory, config, kinds, warnings, secrets };
}

/** Maximum milliseconds for metadata of identity providers; a slower one counts as unreachable. */
const MAX_ONLINE_MS = 15_000;

/**
 * Throws ERR_CONFIG_INVALID when the metadata of an identity provider shows that no token from it can be
 * valid.
 */
async function checkAuthOnline(
  { loaded, kinds, validated }: Pick<ReadConfiguration, 'loaded' | 'kinds' | 'validated'>,
  secrets: SecretValues,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { mode } = validated.config.auth;
  const entry = kinds.authProviders.get(mode);
  if (entry?.kind.checkOnline === undefined) return;
  const { openFetch } = await import('@portolan/outbound');
  const { directory, positionOf } = loaded;
  const context = { openFetch, directory, trustsLoopback: true, secrets, positionOf };
  const limit = AbortSignal.any([
    AbortSignal.timeout(MAX_ONLINE_MS),
    ...(signal === undefined ? [] : [signal]),
  ]);
  const problems = await checkOnlineByKind(entry, validated.authBlock, ['auth', mode], context, limit);
  if (problems.length > 0) throw configInvalid(loaded.file, problems);
}

/**
 * Returns the built-in kinds and the kinds of configured plugins. Throws ERR_CONFIG_* for an unreadable file,
 * and ERR_PLUGIN_*.
 */
export async function readKinds(options: BootOptions): Promise<KindTable> {
  return (await loadEverything(options)).kinds;
}

/** Returns the schema of the whole configuration with every kind. Throws like `readKinds`. */
export async function readConfigSchema(options: BootOptions): Promise<JsonSchema> {
  const { kinds, plugins } = await loadEverything(options);
  const withOptions = plugins.flatMap(({ specifier, plugin }): readonly (readonly [string, ConfigBlock])[] =>
    plugin.options === undefined ? [] : [[specifier, plugin.options]],
  );
  return composeConfigSchema(kinds, new Map(withOptions));
}

async function loadEverything(options: BootOptions): Promise<LoadedKinds> {
  const loaded = await findConfigIfAny(options);
  return await loadKinds(loaded, allShipped(options.shipped), options, { everyInstalled: true });
}

async function findConfigIfAny(
  options: BootOptions,
): Promise<Pick<LoadedConfig, 'file' | 'directory' | 'value'>> {
  try {
    return await findConfig(options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_CONFIG_NOT_FOUND')) throw error;
    return { file: undefined, directory: options.searchFrom ?? '.', value: undefined };
  }
}
