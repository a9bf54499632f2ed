import type * as classifying from './lookup/classify-registry.ts';
import type * as converting from './lookup/convert-catalogue-file.ts';
import type * as describing from './lookup/describe-registry-server.ts';
import type * as finding from './lookup/find-server.ts';
import type * as listing from './lookup/list-servers.ts';

// The ways in that read documents of entries: each is loaded when it is called, so that
// whoever asks a registry for something else does not wait for what documents are read with.

/** See `lookup/classify-registry.ts`. */
export const classifyRegistry: typeof classifying.classifyRegistry = async (...values) =>
  await (await import('./lookup/classify-registry.ts')).classifyRegistry(...values);

/** See `lookup/convert-catalogue-file.ts`. */
export const convertCatalogueFile: typeof converting.convertCatalogueFile = async (...values) =>
  await (await import('./lookup/convert-catalogue-file.ts')).convertCatalogueFile(...values);

/** See `lookup/describe-registry-server.ts`. */
export const describeRegistryServer: typeof describing.describeRegistryServer = async (...values) =>
  await (await import('./lookup/describe-registry-server.ts')).describeRegistryServer(...values);

/** See `lookup/find-server.ts`. */
export const findServer: typeof finding.findServer = async (...values) =>
  await (await import('./lookup/find-server.ts')).findServer(...values);

/** See `lookup/list-servers.ts`. */
export const listServers: typeof listing.listServers = async (...values) =>
  await (await import('./lookup/list-servers.ts')).listServers(...values);
export const searchServers: typeof listing.searchServers = async (...values) =>
  await (await import('./lookup/list-servers.ts')).searchServers(...values);
