import { expect } from 'chai';
import { variantOf } from '../../src/index.ts';

describe('variantOf', () => {
  const block = { type: 'object', oneOfKeys: [['path'], ['url'], ['host', 'port']] } as const;
  for (const [value, variant] of [
    [{ path: 'a' }, 'path'],
    [{ url: 'b', timeout: '1s' }, 'url'],
    [{ host: 'c', port: 1 }, 'host+port'],
    [{ host: 'c' }, ''],
    [{ path: 'a', url: 'b' }, ''],
    [{}, ''],
  ] as const) {
    it(`returns ${JSON.stringify(variant)} for ${JSON.stringify(value)}`, () => {
      expect(variantOf(block, value)).to.equal(variant);
    });
  }

  it('returns an empty string for a configuration without groups of alternative settings', () => {
    expect(variantOf({ type: 'object' }, { path: 'a' })).to.equal('');
  });
});
