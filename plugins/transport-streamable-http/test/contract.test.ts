import { transportContract } from '@portolan/plugin-testing';
import { streamableHttpTransport } from '../src/index.ts';

transportContract({
  name: 'streamable-http',
  kind: streamableHttpTransport,
  blocks: [{}],
  create: (context) => streamableHttpTransport.create({}, context),
});
