export type { BootOptions } from './validation/boot-options.ts';
export type { InstalledPlugin, PluginObject, ShippedKinds } from './plugins/plugin-origins.ts';
export { parseConfigPath } from './faults/config-path.ts';
export { problemsOf, warningsOf } from './faults/config-problem.ts';
export { readSessionKeys } from './config/session-keys.ts';
export { REGISTRY_NAME } from './config/core-schema.ts';
export type {
  DatabaseConfig,
  FilterConfig,
  RegistryConfig,
  ServerConfig,
  SourceConfig,
} from './config/core-schema.ts';
export type { GuardedHooks } from './hooks/guarded-hooks.ts';
export type {
  Kernel,
  KernelAuth,
  NextRegistries,
  ReloadedAuth,
  ReloadedConfiguration,
  SourceInstance,
  SourceKindDescription,
} from './server/kernel.ts';
export { invalidSource } from './server/server-errors.ts';
export { KIND_LISTS } from './kind-lists/kind-lists.ts';
export type { KindList } from './kind-lists/kind-lists.ts';
export { SecretValues } from './logging/secret-values.ts';
export { variantOf } from './config/variant-of.ts';
export type { WorkloadKernel, WorkloadKernelOptions } from './workload/workload-kernel.ts';
