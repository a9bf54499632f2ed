import { expect } from 'chai';
import { scopesOf } from '../../src/discovery/find-login.ts';

/** Spec mcp-protocol-eras.md 5.3, point 5. */
describe('scopesOf', () => {
  const cases = [
    { challenge: 'a b', ofResource: ['c'], ofServer: [], asks: ['a', 'b'] },
    { ofResource: ['c'], ofServer: ['c', 'offline_access'], asks: ['c', 'offline_access'] },
    { ofResource: ['offline_access'], ofServer: ['offline_access'], asks: ['offline_access'] },
    { ofResource: [], ofServer: ['openid', 'offline_access'], asks: ['openid', 'offline_access'] },
    { ofResource: [], ofServer: ['offline_access'], asks: ['offline_access'] },
    { ofResource: [], ofServer: ['openid'], asks: ['openid'] },
    { ofResource: [], ofServer: ['mcp'], asks: undefined },
  ];
  for (const { challenge, ofResource, ofServer, asks } of cases) {
    it(`asks for ${asks?.join(' ') ?? 'nothing'} of ${challenge ?? ofResource.join(' ')}, and of ${ofServer.join(' ')} at the server`, () => {
      const parameters = new Map(challenge === undefined ? [] : [['scope', challenge] as const]);
      expect(scopesOf(parameters, ofResource, ofServer)).to.deep.equal(asks);
    });
  }
});
