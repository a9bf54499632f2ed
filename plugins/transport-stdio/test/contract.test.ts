import { transportContract } from '@portolan/plugin-testing';
import { stdioTransport } from '../src/index.ts';

transportContract({
  name: 'stdio',
  kind: stdioTransport,
  blocks: [{}],
  create: (context) => stdioTransport.create({}, context),
  wire: {
    encode: (message) => Buffer.from(`${message}\n`),
    decode: (bytes) => Buffer.from(bytes).toString('utf8').split('\n').slice(0, -1),
  },
});
