export type {
  BootOptions,
  InstalledPlugin,
  PluginObject,
  ShippedKinds,
  ShippedScheme,
} from './boot-options.ts';
export type { CheckedConfiguration } from './check-config.ts';
export type { Environment } from './config/apply-overrides.ts';
export type { AuthConfig, ConfiguredRoleRule } from './config/auth-schema.ts';
export { composeConfigSchema } from './config/compose-schema.ts';
export { parsePlace } from './config/config-place.ts';
export { printProblems, problemsOf } from './config/config-problem.ts';
export type { ConfigProblem } from './config/config-problem.ts';
export {
  apiSourcesBlock,
  databaseBlock,
  filterBlock,
  REGISTRY_NAME,
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
export { environmentName, listSettings, OTHER_ENVIRONMENT_NAMES } from './config/environment-names.ts';
export type { Setting } from './config/environment-names.ts';
export { SEARCH_PLACES } from './config/search-places.ts';
export { toEditorSchema } from './config/json-schema.ts';
export type { JsonSchema } from './config/json-schema.ts';
export { parseListenAddress } from './config/listen-address.ts';
export type { ListenAddress } from './config/listen-address.ts';
export type {
  CheckedSource,
  GuardedHooks,
  Kernel,
  KernelAuth,
  ReloadedAuth,
  SourceInstance,
  SourceToCreate,
} from './kernel.ts';
export type { KindTable, KindEntry } from './kinds/kind-table.ts';
export type { LogDestination, LoggerOptions } from './logger.ts';
export {
  bootKernel,
  checkConfig,
  createLogger,
  openWorkloadKernel,
  readConfigSchema,
  readKinds,
} from './on-demand.ts';
export { SERVED_API_VERSIONS } from './plugins/check-api-version.ts';
export { SecretValues } from './secret-values.ts';
export { nearest } from './config/nearest.ts';
export { variantOf } from './config/variant-of.ts';
export { UndoStack } from './undo-stack.ts';
export { withFields } from './with-fields.ts';
export type {
  CreatedSecretStore,
  WorkloadKernel,
  WorkloadKernelHooks,
  WorkloadKernelOptions,
  WorkloadKindNames,
} from './workload/workload-kernel.ts';
