import { authProviderContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import Koa from 'koa';
import plugin, { anonymousAuth } from '../src/index.ts';

authProviderContract({
  name: 'anonymous',
  kind: anonymousAuth,
  create: (context) => anonymousAuth.create({}, context),
  app: () => new Koa(),
});

describe('@portolan/auth-anonymous', () => {
  it('contributes the auth kind anonymous, which identifies no caller', () => {
    expect(
      plugin.contributes.authProviders.map(({ kind, identifies }) => ({ kind, identifies })),
    ).to.deep.equal([{ kind: 'anonymous', identifies: false }]);
  });
});
