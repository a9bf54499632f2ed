export {
  describeExpiry,
  expiryOf,
  findTokenFault,
  readAccessToken,
  TOKEN_VARIABLE,
  tokenOfEnvironment,
} from './connection/access-token.ts';
export { isThisMachine, readRegistryAddress } from './connection/read-address.ts';
export { TOKEN_FILE } from './lookup/registry-token.ts';
export { accessWith } from './connection/registry-access.ts';
export type { RegistryAccess } from './connection/registry-access.ts';
export { serverBaseOf } from './connection/server-base.ts';
export type { RegistryFields } from './lookup/active-registry.ts';
export { CatalogueCache } from './lookup/catalogue-cache.ts';
export type { ServerInfo } from './lookup/describe-registry-server.ts';
export type { ListedServer } from './lookup/describe-server.ts';
export type { ServerNotFound } from './lookup/find-server.ts';
export type { LookupContext } from './lookup/lookup-context.ts';
export type { RegistryServer } from './lookup/registry-server.ts';
export {
  getResource,
  listResources,
  putResource,
  removeResource,
  requestSync,
} from './management/admin-resources.ts';
export type { PutCondition, ResourceType, StoredResource } from './management/admin-resources.ts';
export { isPathSegment, pathOfVersion } from './management/entry-path.ts';
export type { EntryAddress } from './management/entry-path.ts';
export { getClaims, setClaims } from './management/entry-claims.ts';
export { listEntries } from './management/list-entries.ts';
export type { ListedVersion } from './management/list-entries.ts';
export { publishEntry, tryEntry } from './management/publish-entry.ts';
export { requestStatus } from './management/request-status.ts';
export { requireDryRuns } from './management/require-dry-runs.ts';
export { parseServerAddress } from './management/server-address.ts';
export { ServerClient } from './management/server-client.ts';
export { isSyncing, syncAndWait } from './management/sync-and-wait.ts';
export { serverAnswerUnusable } from './management/server-errors.ts';
export type { Refusal, ServerIssue, ServerReply } from './management/server-reply.ts';
