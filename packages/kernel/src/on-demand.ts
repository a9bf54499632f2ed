// Entry points that load many modules, each on its first call. Importing the package for one of them does not
// load the others.
import type { Logger } from '@portolan/plugin-api';
import type { BootOptions } from './validation/boot-options.ts';
import type { CheckedConfiguration } from './validation/check-config.ts';
import type { JsonSchema } from './config/json-schema.ts';
import type { Kernel } from './server/kernel.ts';
import type { KindTable } from './kinds/kind-table.ts';
import type { InstalledPlugin } from './plugins/plugin-origins.ts';
import type { LoggerOptions } from './logging/logger.ts';
import type { WorkloadKernel, WorkloadKernelOptions } from './workload/workload-kernel.ts';

/** See `boot.ts`. */
export async function bootKernel(options: BootOptions): Promise<Kernel> {
  return await (await import('./server/boot.ts')).bootKernel(options);
}

/** See `check-config.ts`. */
export async function checkConfig(
  options: BootOptions,
  reach?: { readonly isOnline?: boolean },
): Promise<CheckedConfiguration> {
  return await (await import('./validation/check-config.ts')).checkConfig(options, reach);
}

/** See `check-config.ts`. */
export async function readKinds(options: BootOptions): Promise<KindTable> {
  return await (await import('./validation/check-config.ts')).readKinds(options);
}

/** See `check-config.ts`. */
export async function readConfigSchema(options: BootOptions): Promise<JsonSchema> {
  return await (await import('./validation/check-config.ts')).readConfigSchema(options);
}

/** See `check-installed-plugin.ts`. */
export async function checkInstalledPlugin(plugin: InstalledPlugin): Promise<boolean> {
  return await (await import('./plugins/check-installed-plugin.ts')).checkInstalledPlugin(plugin);
}

/** See `logger.ts`. */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  return await (await import('./logging/logger.ts')).createLogger(options);
}

/** See `workload/open-workload-kernel.ts`. */
export async function openWorkloadKernel(options: WorkloadKernelOptions): Promise<WorkloadKernel> {
  return await (await import('./workload/open-workload-kernel.ts')).openWorkloadKernel(options);
}
