import { type Block, isPlainMap } from '../config/plain-data.ts';
import { composeWorkloadSchema } from '../validation/compose-schema.ts';
import type { ConfigProblem } from '../faults/config-problem.ts';
import { expandEnvironment } from '../config/expand-environment.ts';
import { type LoadedConfig, findConfig } from '../config/find-config.ts';
import { SchemaChecker } from '../config/schema-checker.ts';
import {
  arrange,
  checkBlock,
  checkOptions,
  findOptionBlocks,
  findWorkloadBlocks,
} from '../validation/validate-config.ts';
import { checkWorkloadHosts } from '../validation/check-hosts.ts';
import { configInvalid } from '../validation/validation-errors.ts';
import { nameKinds } from '../kinds/kind-table.ts';
import { usedByWorkloads } from '../kinds/shipped-packages.ts';
import type { LoadedPlugin } from '../plugins/import-plugin.ts';
import { type LoadedKinds, loadKinds } from '../kinds/load-kinds.ts';
import type { SecretValues } from '../logging/secret-values.ts';
import type { WorkloadKernelOptions } from './workload-kernel.ts';

export interface WorkloadConfiguration extends LoadedKinds {
  readonly directory: string;
  readonly optionsOf: ReadonlyMap<LoadedPlugin, Block>;
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Loads and validates the configuration of a workload without creating instances. Throws ERR_CONFIG_* and
 * ERR_PLUGIN_*.
 */
export async function readWorkloadConfig(
  configFile: string,
  options: WorkloadKernelOptions,
  secrets: SecretValues,
): Promise<WorkloadConfiguration> {
  const found = await findConfig({ configFile });
  options.signal?.throwIfAborted();
  const used = usedByWorkloads(found.value, options.shipped);
  const loaded = await loadKinds(found, used, options, { everyInstalled: true });
  options.signal?.throwIfAborted();
  const settings = await checkWorkloadConfig(found, loaded, options, secrets);
  // SAFETY: the plugin's schema, which describes a map, has validated the options.
  const optionsOf = new Map(loaded.plugins.map((plugin) => [plugin, plugin.options as Block]));
  return { ...loaded, directory: found.directory, optionsOf, settings };
}

async function checkWorkloadConfig(
  loaded: LoadedConfig,
  { plugins, kinds }: LoadedKinds,
  { environment, shipped }: WorkloadKernelOptions,
  secrets: SecretValues,
): Promise<Readonly<Record<string, unknown>>> {
  const config = loaded.value;
  const blocks = [
    ...(isPlainMap(config) ? findWorkloadBlocks(config, kinds) : []),
    ...findOptionBlocks(plugins),
  ];
  const expanded: ConfigProblem[] = [];
  for (const { value, block, place } of blocks) {
    expanded.push(...(await expandEnvironment(value, block, place, { environment, secrets, ...loaded })));
  }
  const checker = new SchemaChecker(loaded.positionOf);
  const problems = arrange([
    ...loaded.problems,
    ...expanded,
    ...checker.check(composeWorkloadSchema(nameKinds(kinds, shipped, 'workload')), config, []),
    ...blocks.flatMap((block) => checkBlock(block, checker, { loaded, secrets })),
    ...checkOptions({ plugins, loaded }),
    ...(isPlainMap(config) ? checkWorkloadHosts(config, kinds, loaded.positionOf) : []),
  ]);
  if (problems.length > 0 || !isPlainMap(config)) throw configInvalid(loaded.file, problems);
  return config;
}
