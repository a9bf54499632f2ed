import type { ConfigBlock } from '@portolan/plugin-api';
import { expect } from 'chai';
import { publicBlock } from '../../src/host/describe-sources.ts';

const block = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    token: { type: 'string', secret: true },
    proxy: {
      type: 'object',
      properties: { host: { type: 'string' }, password: { type: 'string', secret: true } },
    },
    mirrors: {
      type: 'array',
      items: { type: 'object', properties: { key: { type: 'string', secret: true } } },
    },
    headers: { type: 'object', additionalProperties: { type: 'string', secret: true } },
    data: { type: 'object' },
  },
} as const satisfies ConfigBlock;

describe('publicBlock', () => {
  const cases: readonly { title: string; value: object; kept: object }[] = [
    {
      title: 'keeps fields that are not secret',
      value: { url: 'a', data: { any: [1] } },
      kept: { url: 'a', data: { any: [1] } },
    },
    { title: 'omits secrets', value: { url: 'a', token: 't' }, kept: { url: 'a' } },
    {
      title: 'omits secrets in maps',
      value: { proxy: { host: 'h', password: 'p' } },
      kept: { proxy: { host: 'h' } },
    },
    {
      title: 'omits secrets in lists',
      value: { mirrors: [{ key: 'k' }, {}] },
      kept: { mirrors: [{}, {}] },
    },
    {
      title: 'omits secrets under free keys',
      value: { headers: { cookie: 'c' } },
      kept: { headers: {} },
    },
    {
      title: 'omits secrets under free keys with names of object members',
      value: { headers: { constructor: 'c' } },
      kept: { headers: {} },
    },
    { title: 'returns an empty block for an empty one', value: {}, kept: {} },
  ];
  for (const { title, value, kept } of cases) {
    it(title, () => {
      expect(publicBlock(value, block)).to.deep.equal(kept);
    });
  }
});
