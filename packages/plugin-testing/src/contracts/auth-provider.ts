import { HOSTS } from '@portolan/plugin-api';
import { expect } from 'chai';
import { authProviderLoginCases } from './auth-provider-logins.ts';
import { type AuthProviderUnderTest, type Send, useAuthProvider } from './auth-provider-under-test.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

export function authProviderContract(options: AuthProviderUnderTest): void {
  registerContract(`auth provider contract: ${options.name}`, authProviderCases(options));
}

const GARBAGE: readonly Readonly<Record<string, string>>[] = [
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer not.a.token' },
  { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWxsb3J5In0.' },
  { authorization: 'Basic bWFsbG9yeTpzZWNyZXQ=' },
];

export function authProviderCases(options: AuthProviderUnderTest): readonly ContractCase[] {
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'lists the hosts that it connects to, without duplicates',
      run: async () => {
        const { hosts } = options.kind;
        expect(hosts, 'hosts').to.be.an('array').and.to.not.deep.equal([]);
        expect(HOSTS, 'the hosts there are').to.include.members([...hosts]);
        expect([...new Set(hosts)]).to.deep.equal(hosts);
      },
    },
    ...(options.kind.identifies ? identifyingCases(options) : anonymousCases(options)),
    ...(options.openLogins === undefined ? [] : authProviderLoginCases(options.openLogins)),
    {
      title: 'judges concurrent requests independently',
      run: () => useAuthProvider(options, (send) => staysApart(send, options)),
    },
    {
      title: 'decides the same during and after the warm-up',
      run: () =>
        useAuthProvider(options, async (send, provider) => {
          const warming = provider.warmUp?.();
          await staysApart(send, options);
          await warming;
          await staysApart(send, options);
        }),
    },
  ];
}

function anonymousCases(options: AuthProviderUnderTest): readonly ContractCase[] {
  const passes = (headers?: Readonly<Record<string, string>>): Promise<void> =>
    useAuthProvider(options, async (send) => {
      const { status, wentOn, identity, body } = await send(headers);
      expect({ status, wentOn, identity, body }).to.deep.equal({
        status: 200,
        wentOn: 1,
        identity: options.everybody,
        body: 'passed',
      });
    });
  const whom = options.everybody === undefined ? 'identifies nobody' : 'takes everybody for the same';
  return [
    {
      title: `accepts requests without credentials, and ${whom}`,
      run: () => passes(),
    },
    ...GARBAGE.map((headers) => ({
      title: `ignores the header ${JSON.stringify(headers)}`,
      run: () => passes(headers),
    })),
  ];
}

function identifyingCases(options: AuthProviderUnderTest): readonly ContractCase[] {
  const { accepted = [], refused = [] } = options;
  const refuses = (headers?: Readonly<Record<string, string>>): Promise<void> =>
    useAuthProvider(options, async (send) => {
      const { status, wentOn, body } = await send(headers);
      expect({ status, wentOn }).to.deep.equal({ status: 401, wentOn: 0 });
      const credential = headers?.['authorization']?.split(' ')[1];
      if (credential) expect(body, 'the answer').to.not.include(credential);
    });
  return [
    {
      title: 'is tested with at least one valid credential',
      run: async () => {
        expect(accepted).to.not.deep.equal([]);
      },
    },
    ...accepted.map(({ title, headers, identity }) => ({
      title: `accepts and identifies the caller: ${title}`,
      run: () =>
        useAuthProvider(options, async (send) => {
          const outcome = await send(headers);
          expect(outcome).to.deep.equal({ status: 200, wentOn: 1, identity, body: 'passed' });
        }),
    })),
    { title: 'refuses a request without credentials', run: () => refuses() },
    ...GARBAGE.map((headers) => ({
      title: `refuses the header ${JSON.stringify(headers)}`,
      run: () => refuses(headers),
    })),
    ...refused.map(({ title, headers }) => ({ title: `refuses ${title}`, run: () => refuses(headers) })),
  ];
}

/** Checks that a refused request has no effect on accepted ones. */
async function staysApart(send: Send, { kind, accepted = [] }: AuthProviderUnderTest): Promise<void> {
  const good = accepted[0];
  for (let round = 0; round < 3; round += 1) {
    const bad = await send(GARBAGE[2]);
    expect(bad.status).to.equal(kind.identifies ? 401 : 200);
    if (good === undefined) continue;
    expect((await send(good.headers)).identity).to.deep.equal(good.identity);
  }
}
