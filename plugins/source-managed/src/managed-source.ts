import type { ConfigBlock, SourceKind } from '@portolan/plugin-api';

const managedConfig = {
  type: 'object',
  title: 'Managed source',
  description: 'Entries that users publish, each with its own claims. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Source kind `managed`. Entries are published to the registry's database, so that there is nothing to read.
 */
export const managedSource: SourceKind<typeof managedConfig> = {
  kind: 'managed',
  config: managedConfig,
  claimsFrom: 'publisher',
  reaches: () => ({ files: [], urls: [] }),
  create: () => ({
    async *readEntries(signal) {
      signal.throwIfAborted();
      yield* []; // published entries are already in the registry
    },
  }),
};
