export { findDatabaseFile } from './host/find-database-file.ts';
export { openDatabase } from './host/open-database.ts';
export { serveRegistry } from './host/serve-registry.ts';
export type { RunningRegistry } from './host/serve-registry.ts';
export { withDatabase } from './host/with-database.ts';
