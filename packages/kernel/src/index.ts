export type { Kernel, GuardedHooks, SourceInstance } from './kernel.ts';
export type { KindTable, KindEntry } from './kinds/kind-table.ts';
export type {
  DatabaseConfig,
  FilterConfig,
  PortolanConfig,
  RegistryConfig,
  ServerConfig,
  SourceConfig,
  TelemetryConfig,
} from './config/core-schema.ts';
