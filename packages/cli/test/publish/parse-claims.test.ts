import type { ResourceClaims } from '@portolan/plugin-api';
import { expect } from 'chai';
import { parseClaims, printClaims } from '../../src/publish/parse-claims.ts';

describe('parseClaims', () => {
  const good: readonly {
    readonly texts: string[] | undefined;
    readonly claims: ResourceClaims | undefined;
  }[] = [
    { texts: undefined, claims: undefined },
    { texts: [], claims: undefined },
    { texts: ['org=acme'], claims: { org: 'acme' } },
    { texts: ['org=acme', 'team=maps', 'team=tides'], claims: { org: 'acme', team: ['maps', 'tides'] } },
    { texts: ['expr=a=b', 'empty='], claims: { expr: 'a=b', empty: '' } },
    { texts: ['https://acme.example/team=maps'], claims: { 'https://acme.example/team': 'maps' } },
    { texts: ['constructor=acme'], claims: { constructor: 'acme' } },
  ];
  for (const { texts, claims } of good) {
    it(`parses ${texts?.join(' ') ?? 'nothing'}`, async () => {
      expect(await parseClaims(texts)).to.deep.equal(claims);
    });
  }

  for (const text of ['org', '=acme', '__proto__=acme', `org=${'a'.repeat(1025)}`]) {
    it(`rejects ${text.slice(0, 20)}`, async () => {
      const error = await parseClaims([text]).catch((reason: unknown) => reason);
      expect(error).to.have.property('code', 'ERR_BAD_ARGUMENT');
    });
  }
});

describe('printClaims', () => {
  it('formats claims on one line', () => {
    expect(printClaims({ org: 'acme', team: ['maps', 'tides'] })).to.equal('org=acme team=maps,tides');
    expect(printClaims({})).to.equal('-');
  });
});
