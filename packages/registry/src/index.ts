export type { AdminChange } from './admin/admin-context.ts';
export { judgePublication } from './admin/entries/judge-publication.ts';
export type { DocumentRules } from './preparation/prepare-version.ts';
export { createRegistryAdmin } from './admin/create-registry-admin.ts';
export type {
  Actor,
  EntryAddress,
  Page,
  PageQuery,
  Publication,
  RegistryAdmin,
  RegistryEntryRecord,
  SourceEntryRecord,
  StatusChange,
  Unusable,
  WriteOptions,
} from './admin/registry-admin.ts';
export type {
  RegistryDefinition,
  SourceDefinition,
  SourceToStore,
  StoredRegistry,
  StoredSource,
} from './admin/admin-definitions.ts';
export type { DocumentIssue } from '@portolan/entry-format';
export { CatalogOutdated } from './read/store-reader.ts';
export type {
  Catalog,
  EntryFilter,
  ListQuery,
  PublishedRegistry,
  ReadScope,
  RegistryReader,
  RowKey,
  SkippedFrom,
  VersionPage,
  VersionRow,
  VisibleClasses,
} from './read/registry-reader.ts';
export { splitSkips } from './read/find-skipped.ts';
export { createRegistryReader } from './read/store-reader.ts';
export type { ConfiguredRegistries } from './reconciliation/reconcile-config.ts';
export { reconcileConfig } from './reconciliation/reconcile-config.ts';
export type { ConfiguredSource } from './reconciliation/reconciliation.ts';
export { SessionRows } from './sessions/session-rows.ts';
export type { SessionLife } from './sessions/session-rows.ts';
export { Migrations } from './store/migrations/migrations.ts';
export { backUpDatabase, restoreDatabase } from './store/sqlite/backup-file.ts';
export { databaseFile, openStore } from './store/open-store.ts';
export type { Store, StoreOptions } from './store/open-store.ts';
export type { PoolState } from './store/engine.ts';
export type { StoredDefinition } from './store/source-rows.ts';
export { startSourceRoster } from './sync/schedule/source-roster.ts';
export type { SourceRoster } from './sync/schedule/source-roster.ts';
export type { ScratchLocation } from './sync/scratch/scratch-locations.ts';
export type { SyncedSource } from './sync/synced-source.ts';
export { startSyncScheduler } from './sync/schedule/sync-scheduler.ts';
export type { SyncScheduler } from './sync/schedule/sync-scheduler.ts';
export { listSyncStatus } from './store/sync-status.ts';
export type { SyncStatus } from './store/sync-status.ts';
