import type { ConfigBlock, SourceKind } from '@portolan/plugin-api';

const managedConfig = {
  type: 'object',
  title: 'Managed source',
  description: 'Entries come by publishing, each with claims of its own. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Source kind `managed`: what it holds was published to it, and lies in the
 * registry's own database, so that there is nothing to read.
 */
export const managedSource: SourceKind<typeof managedConfig> = {
  kind: 'managed',
  config: managedConfig,
  claimsFrom: 'publisher',
  reaches: () => ({ files: [], urls: [] }),
  create: () => ({
    async *readEntries(signal) {
      signal.throwIfAborted();
      yield* []; // what was published lies in the registry already
    },
  }),
};
