export { findTokenFault, MOST_TOKEN_BYTES } from './connection/access-token.ts';
export type { ConnectionContext } from './connection/connection-context.ts';
export { isThisMachine, readRegistryAddress } from './connection/read-address.ts';
export type { RegistryFields } from './lookup/active-registry.ts';
export { CatalogueCache } from './lookup/catalogue-cache.ts';
export type { ServerInfo } from './lookup/describe-registry-server.ts';
export type { ListedServer } from './lookup/describe-server.ts';
export type { ServerNotFound } from './lookup/find-server.ts';
export type { LookupContext } from './lookup/lookup-context.ts';
export {
  catalogueNotConverted,
  registryAddressUnusable,
  registryAnswerUnusable,
  registryFileUnusable,
  registryMissing,
  serverAmbiguous,
  serverUnknown,
} from './lookup/lookup-errors.ts';
export {
  addressRulesOf,
  apiAddress,
  apiBaseOf,
  parseRegistryUrl,
} from './lookup/registry-address.ts';
export type { AddressRules } from './lookup/registry-address.ts';
export { checkStatus, isServerPage, RegistryApi } from './lookup/registry-api.ts';
export { FILE_LIMITS, RegistryConnection } from './lookup/registry-connection.ts';
export type { RegistryReply } from './lookup/registry-connection.ts';
export { nameOfServer } from './lookup/registry-server.ts';
export type { RegistryServer } from './lookup/registry-server.ts';
export { readRegistryToken } from './lookup/registry-token.ts';
export { ServerClient } from './management/server-client.ts';
export type { ServerRequest } from './management/server-client.ts';
export { serverAddressInvalid, serverAnswerUnusable } from './management/server-errors.ts';
export { listOf, memberOf, textOf } from './management/server-reply.ts';
export type { Refusal, ServerIssue, ServerReply } from './management/server-reply.ts';
export {
  classifyRegistry,
  convertCatalogueFile,
  describeRegistryServer,
  findServer,
  listServers,
  searchServers,
} from './on-demand.ts';
