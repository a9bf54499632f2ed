import type { ConfigBlock } from '@portolan/plugin-api';
import type { BootOptions } from './boot-options.ts';
import { composeConfigSchema } from './compose-schema.ts';
import type { PortolanConfig } from '../config/core-schema.ts';
import { findConfig, type FoundConfig } from '../config/find-config.ts';
import type { JsonSchema } from '../config/json-schema.ts';
import type { KindTable } from '../kinds/kind-table.ts';
import { allShipped } from '../kinds/shipped-packages.ts';
import { type LoadedKinds, loadKinds } from '../kinds/load-kinds.ts';
import { readConfiguration } from './read-configuration.ts';
import { SecretValues } from '../logging/secret-values.ts';

export interface CheckedConfiguration {
  readonly configFile: string | undefined;
  /** Folder relative paths of the configuration start from. */
  readonly directory: string;
  readonly config: PortolanConfig;
  readonly kinds: KindTable;
  /** Sentences about what is strange, but no fault. */
  readonly warnings: readonly string[];
  /** The values of its secret fields, for a logger. */
  readonly secrets: SecretValues;
}

/**
 * Boots up to the check of the configuration and creates nothing. Throws what
 * `bootKernel` throws up to there; ERR_CONFIG_INVALID carries every problem.
 */
export async function checkConfig(options: BootOptions): Promise<CheckedConfiguration> {
  const secrets = new SecretValues();
  const { found, kinds, validated } = await readConfiguration(options, secrets);
  const { config, warnings } = validated;
  return { configFile: found.file, directory: found.directory, config, kinds, warnings, secrets };
}

/**
 * Every kind there is to use: all shipped ones, and those of the configured
 * plugins. A configuration that is not found is no fault here: then there are the
 * shipped kinds only. Throws ERR_CONFIG_* for a file that cannot be read, and
 * ERR_PLUGIN_*.
 */
export async function readKinds(options: BootOptions): Promise<KindTable> {
  return (await loadEverything(options)).kinds;
}

/** The JSON Schema of the whole configuration with every kind that `readKinds` tells of. Throws what that throws. */
export async function readConfigSchema(options: BootOptions): Promise<JsonSchema> {
  const { kinds, plugins } = await loadEverything(options);
  const withOptions = plugins.flatMap(({ specifier, plugin }): readonly (readonly [string, ConfigBlock])[] =>
    plugin.options === undefined ? [] : [[specifier, plugin.options]],
  );
  return composeConfigSchema(kinds, new Map(withOptions));
}

async function loadEverything(options: BootOptions): Promise<LoadedKinds> {
  const found = await findConfigIfAny(options);
  return await loadKinds(found, allShipped(options.shipped), options, { everyInstalled: true });
}

async function findConfigIfAny(
  options: BootOptions,
): Promise<Pick<FoundConfig, 'file' | 'directory' | 'value'>> {
  try {
    return await findConfig(options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_CONFIG_NOT_FOUND')) throw error;
    return { file: undefined, directory: options.searchFrom ?? '.', value: undefined };
  }
}
