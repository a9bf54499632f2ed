export { openDatabase } from './host/open-database.ts';
export { serveRegistry } from './host/serve-registry.ts';
export type { RunningRegistry, ServeOptions } from './host/serve-registry.ts';
export { withDatabase } from './host/with-database.ts';
export type { VersionInfo } from './request/version-info.ts';
export type { RunningRegistryServer } from './start-registry-server.ts';
