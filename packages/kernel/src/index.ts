export type { BootOptions } from './validation/boot-options.ts';
export type { InstalledPlugin, PluginObject, ShippedKinds, ShippedScheme } from './plugins/plugin-origins.ts';
export type { CheckedConfiguration } from './validation/check-config.ts';
export type { Environment } from './config/apply-overrides.ts';
export type { AuthConfig, ConfiguredRoleRule } from './config/auth-schema.ts';
export { composeConfigSchema } from './validation/compose-schema.ts';
export { parsePlace } from './faults/config-place.ts';
export { printProblems, problemsOf } from './faults/config-problem.ts';
export type { ConfigProblem } from './faults/config-problem.ts';
export {
  apiSourcesBlock,
  databaseBlock,
  filterBlock,
  REGISTRY_NAME,
  scratchBlock,
  serverBlock,
  SOURCE_NAME,
  syncPolicyBlock,
  telemetryBlock,
} from './config/core-schema.ts';
export type {
  ApiSourcesConfig,
  DatabaseConfig,
  FilterConfig,
  PortolanConfig,
  RegistryConfig,
  ServerConfig,
  SourceConfig,
  TelemetryConfig,
} from './config/core-schema.ts';
export type { GuardedHooks } from './hooks/guarded-hooks.ts';
export { environmentName, listSettings, OTHER_ENVIRONMENT_NAMES } from './config/environment-names.ts';
export type { Setting } from './config/environment-names.ts';
export { SEARCH_PLACES } from './config/search-places.ts';
export { toEditorSchema } from './config/json-schema.ts';
export type { JsonSchema } from './config/json-schema.ts';
export { parseListenAddress } from './config/listen-address.ts';
export type { ListenAddress } from './config/listen-address.ts';
export type {
  CheckedSource,
  Kernel,
  KernelAuth,
  ReloadedAuth,
  SourceInstance,
  SourceToCreate,
} from './server/kernel.ts';
export { KIND_LISTS } from './kind-lists/kind-lists.ts';
export type { KindList } from './kind-lists/kind-lists.ts';
export type { KindTable, KindEntry } from './kinds/kind-table.ts';
export type { LogDestination, LoggerOptions } from './logging/logger.ts';
export {
  bootKernel,
  checkConfig,
  createLogger,
  openWorkloadKernel,
  readConfigSchema,
  readKinds,
} from './on-demand.ts';
export { SERVED_API_VERSIONS } from './plugins/check-api-version.ts';
export { SecretValues } from './logging/secret-values.ts';
export { variantOf } from './config/variant-of.ts';
export { UndoStack } from './lifetime/undo-stack.ts';
export { withFields } from './logging/with-fields.ts';
export type {
  CreatedAuthProvider,
  CreatedSecretStore,
  GivenSettings,
  WorkloadKernel,
  WorkloadKernelHooks,
  WorkloadKernelOptions,
  WorkloadKindNames,
} from './workload/workload-kernel.ts';
