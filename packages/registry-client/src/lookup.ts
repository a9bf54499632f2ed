export { classifyRegistry } from './lookup/classify-registry.ts';
export { convertCatalogueFile } from './lookup/convert-catalogue-file.ts';
export { describeRegistryServer } from './lookup/describe-registry-server.ts';
export { findServer } from './lookup/find-server.ts';
export { warnOfHiddenText } from './lookup/warn-of-hidden-text.ts';
export { listServers, searchServers } from './lookup/list-servers.ts';
