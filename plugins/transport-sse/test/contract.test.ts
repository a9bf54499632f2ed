import { transportContract } from '@portolan/plugin-testing';
import { sseTransport } from '../src/index.ts';

transportContract({
  name: 'sse',
  kind: sseTransport,
  blocks: [{}],
  create: (context) => sseTransport.create({}, context),
});
