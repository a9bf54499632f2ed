import type { ConfigBlock, Plugin, ToolIndexKind } from '@portolan/plugin-api';
import { buildBm25Index } from './bm25-index.ts';

export const bm25Config = {
  type: 'object',
  title: 'BM25',
  description: 'Ranking of tools by the words of a query, in memory.',
  properties: {},
} as const satisfies ConfigBlock;

export const bm25Index: ToolIndexKind<typeof bm25Config> = {
  kind: 'bm25',
  config: bm25Config,
  create: () => ({ build: buildBm25Index }),
};

export default {
  name: '@portolan/tool-index-bm25',
  apiVersion: 2,
  contributes: { toolIndexes: [bm25Index] },
} satisfies Plugin;
