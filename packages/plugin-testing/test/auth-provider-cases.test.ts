import type { AuthProvider, AuthProviderKind, ConfigBlock } from '@portolan/plugin-api';
import { expect } from 'chai';
import Koa from 'koa';
import { type AuthProviderUnderTest, authProviderCases, authProviderContract } from '../src/index.ts';

const config = {
  type: 'object',
  description: 'One shared word for everybody.',
  properties: {},
} as const satisfies ConfigBlock;

function wordProvider(): AuthProvider {
  return {
    verify: (ctx, next) => {
      if (ctx.get('authorization') !== 'Bearer open-sesame') ctx.throw(401, 'The word is wrong.');
      return next();
    },
    identify: () => ({ subject: 'ali', claims: { org: 'acme' } }),
  };
}

const wordKind: AuthProviderKind<typeof config> = {
  kind: 'word',
  config,
  hosts: ['registry-server'],
  identifies: true,
  create: () => wordProvider(),
};

const underTest: AuthProviderUnderTest = {
  name: 'of a good provider',
  kind: wordKind,
  create: () => wordProvider(),
  app: () => new Koa(),
  accepted: [
    {
      title: 'the word',
      headers: { authorization: 'Bearer open-sesame' },
      identity: { subject: 'ali', claims: { org: 'acme' } },
    },
  ],
  refused: [{ title: 'another word', headers: { authorization: 'Bearer open-barley' } }],
};

authProviderContract(underTest);

/** Titles of the cases that such a provider does not pass. */
async function failing(options: Partial<AuthProviderUnderTest>): Promise<readonly string[]> {
  const titles: string[] = [];
  for (const { title, run } of authProviderCases({ ...underTest, ...options })) {
    await run().catch(() => titles.push(title));
  }
  return titles;
}

describe('authProviderCases', () => {
  const broken: readonly { title: string; options: Partial<AuthProviderUnderTest>; fails: string }[] = [
    {
      title: 'lets everybody in',
      options: { create: () => ({ ...wordProvider(), verify: (_ctx, next) => next() }) },
      fails: 'refuses a request without credentials',
    },
    {
      title: 'names somebody else',
      options: { create: () => ({ ...wordProvider(), identify: () => ({ subject: 'cassim', claims: {} }) }) },
      fails: 'accepts and identifies the caller: the word',
    },
    {
      title: 'prints the credential it refuses',
      options: {
        create: () => ({
          ...wordProvider(),
          verify: (ctx, next) => {
            const given = ctx.get('authorization');
            if (given !== 'Bearer open-sesame') ctx.throw(401, `What is ${given}?`);
            return next();
          },
        }),
      },
      fails: 'refuses another word',
    },
    {
      title: 'refuses with 403',
      options: {
        create: () => ({ ...wordProvider(), verify: (ctx) => ctx.throw(403, 'No.') }),
      },
      fails: 'refuses a request without credentials',
    },
    {
      title: 'is never tried with a good credential',
      options: { accepted: [] },
      fails: 'is tested with at least one valid credential',
    },
    {
      title: 'identifies somebody although the kind says it does not',
      options: {
        kind: { ...wordKind, hosts: ['registry-server'], identifies: false },
        create: () => ({ ...wordProvider(), verify: (_ctx, next) => next() }),
      },
      fails: 'accepts requests without credentials, and identifies nobody',
    },
    {
      title: 'refuses in a mode without identities',
      options: { kind: { ...wordKind, hosts: ['registry-server'], identifies: false } },
      fails: 'ignores the header {"authorization":"Bearer not.a.token"}',
    },
  ];
  for (const { title, options, fails } of broken) {
    it(`fails for a provider that ${title}`, async () => {
      expect(await failing(options)).to.include(fails);
    });
  }
});
