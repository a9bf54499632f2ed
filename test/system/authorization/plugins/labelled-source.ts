import type { ConfigBlock, Plugin, ResourceClaims, SourceEntry, SourceKind } from '@portolan/plugin-api';

const labelledConfig = {
  type: 'object',
  description: 'Entries that say themselves who may see them, as objects of a cluster do.',
  required: ['items'],
  properties: { items: { type: 'string', description: 'A list of {document, claims}, as JSON.' } },
} as const satisfies ConfigBlock;

const labelled: SourceKind<typeof labelledConfig> = {
  kind: 'labelled',
  config: labelledConfig,
  claimsFrom: 'entry',
  create: ({ items }) => ({
    // oxlint-disable-next-line typescript/require-await -- there is nothing to wait for
    async *readEntries(): AsyncGenerator<SourceEntry> {
      // SAFETY: the tests write this file.
      const parsed = JSON.parse(items) as readonly { document: unknown; claims?: ResourceClaims }[];
      for (const item of parsed) yield { type: 'server', ...item };
    },
  }),
};

export default {
  name: 'labelled-source',
  apiVersion: 2,
  contributes: { sources: [labelled] },
} satisfies Plugin;
