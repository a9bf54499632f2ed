import { expect } from 'chai';
import { scopesOf } from '../../src/discovery/find-login.ts';

describe('scopesOf', () => {
  const cases = [
    { challenge: 'a b', ofResource: ['c'], server: { scopes: [] }, requests: ['a', 'b'] },
    { ofResource: ['c'], server: { scopes: ['c', 'offline_access'] }, requests: ['c', 'offline_access'] },
    { ofResource: ['offline_access'], server: { scopes: ['offline_access'] }, requests: ['offline_access'] },
    {
      ofResource: [],
      server: { scopes: ['openid', 'offline_access'], isOpenid: true },
      requests: ['openid', 'offline_access'],
    },
    { ofResource: [], server: { scopes: ['offline_access'] }, requests: ['offline_access'] },
    { ofResource: [], server: { scopes: [], isOpenid: true }, requests: ['openid', 'profile', 'email'] },
    { ofResource: [], server: { scopes: ['email', 'mcp'], isOpenid: true }, requests: ['openid', 'email'] },
    { ofResource: ['c'], server: { scopes: [], isOpenid: true }, requests: ['c'] },
    { ofResource: [], server: { scopes: ['mcp'] }, requests: undefined },
    { ofResource: [], server: { scopes: [] }, requests: undefined },
  ];
  for (const { challenge, ofResource, server, requests } of cases) {
    const kind = server.isOpenid === true ? 'an OpenID provider' : 'a server';
    const lists = server.scopes.join(' ') || 'no scope';
    const named = challenge ?? (ofResource.join(' ') || 'no scope');
    it(`requests ${requests?.join(' ') ?? 'nothing'} when the remote names ${named} and ${kind} lists ${lists}`, () => {
      const parameters = new Map(challenge === undefined ? [] : [['scope', challenge] as const]);
      expect(scopesOf(parameters, ofResource, server)).to.deep.equal(requests);
    });
  }
});
