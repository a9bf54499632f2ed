import { toolIndexContract } from '@portolan/plugin-testing';
import { bm25Index } from '../src/index.ts';

toolIndexContract({
  name: 'bm25',
  kind: bm25Index,
  blocks: [{}],
  create: (context) => bm25Index.create({}, context),
});
