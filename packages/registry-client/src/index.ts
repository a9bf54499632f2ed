export { findTokenFault, MOST_TOKEN_BYTES } from './access-token.ts';
export type { ConnectionContext } from './connection-context.ts';
export {
  catalogueNotConverted,
  registryAddressUnusable,
  registryAnswerUnusable,
  registryFileUnusable,
  registryMissing,
  serverAmbiguous,
  serverUnknown,
} from './lookup-errors.ts';
export {
  addressRulesOf,
  apiAddress,
  apiBaseOf,
  isThisMachine,
  parseRegistryUrl,
  readRegistryAddress,
} from './registry-address.ts';
export type { AddressRules } from './registry-address.ts';
export { checkStatus, isServerPage, RegistryApi } from './registry-api.ts';
export { FILE_LIMITS, RegistryConnection } from './registry-connection.ts';
export type { RegistryReply } from './registry-connection.ts';
export { nameOfServer } from './registry-server.ts';
export type { RegistryServer } from './registry-server.ts';
export { readRegistryToken } from './registry-token.ts';
export { ServerClient } from './server-client.ts';
export type { ServerRequest } from './server-client.ts';
export { serverAddressInvalid, serverAnswerUnusable } from './server-errors.ts';
export { listOf, memberOf, textOf } from './server-reply.ts';
export type { Refusal, ServerIssue, ServerReply } from './server-reply.ts';
