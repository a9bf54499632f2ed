export { publishVersion } from './publish/publish-version.ts';
export type { VersionToPublish } from './publish/publish-version.ts';
export type {
  Catalog,
  EntryFilter,
  ListQuery,
  PublishedRegistry,
  ReadScope,
  RegistryReader,
  RowKey,
  VersionPage,
  VersionRow,
  VisibleClasses,
} from './read/registry-reader.ts';
export { createRegistryReader } from './read/store-reader.ts';
export { reconcileConfig } from './reconcile-config.ts';
export type { ConfiguredRegistries, ConfiguredSource } from './reconcile-config.ts';
export type { MigrationState } from './store/migrations/migrations.ts';
export { Migrations } from './store/migrations/migrations.ts';
export { openStore } from './store/open-store.ts';
export type { Store, StoreOptions } from './store/open-store.ts';
export type { SyncedSource } from './sync/sync-source.ts';
export { startSyncScheduler } from './sync/sync-scheduler.ts';
export type { SchedulerOptions, SyncScheduler } from './sync/sync-scheduler.ts';
export { listSyncStatus } from './sync/sync-status.ts';
export type { SkippedVersion, SyncStatus } from './sync/sync-status.ts';
