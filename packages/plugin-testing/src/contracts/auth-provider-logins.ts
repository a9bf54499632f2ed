import { type BrowserLogin, isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { LoginsUnderTest } from './auth-provider-under-test.ts';
import type { ContractCase } from './contract-case.ts';

const REDIRECT = 'https://registry.acme.example/mcp/login/callback';
const HOME = 'https://registry.acme.example/mcp/';
const GARBAGE: readonly string[] = ['', 'x', '[]', '{}', 'null'];

export function authProviderLoginCases(openLogins: () => Promise<LoginsUnderTest>): readonly ContractCase[] {
  const { signal } = new AbortController();
  const each = (
    title: string,
    act: (login: BrowserLogin, agree: (url: URL) => URL | Promise<URL>) => Promise<void>,
  ): ContractCase => ({
    title: `${title}, for each login`,
    run: async () => {
      const { provider, agree, close } = await openLogins();
      try {
        const logins = provider.logins?.() ?? [];
        expect(logins, 'ways to log in').to.not.deep.equal([]);
        for (const login of logins) await act(login, (url) => agree(login.name, url));
      } finally {
        await provider.close?.();
        await close();
      }
    },
  });
  return [
    {
      title: 'gives each login a unique name',
      run: async () => {
        const { provider, close } = await openLogins();
        try {
          const names = (provider.logins?.() ?? []).map(({ name }) => name);
          expect(names.filter((name) => name.trim() !== '')).to.deep.equal(names);
          expect([...new Set(names)]).to.deep.equal(names);
        } finally {
          await provider.close?.();
          await close();
        }
      },
    },
    each('returns a token, which appears in no address', async (login, agree) => {
      const { url, pending } = await login.begin(REDIRECT, signal);
      const { token, renewal } = await login.finish(await agree(url), pending, signal);
      expect(token).to.match(/^[!-~]+$/);
      for (const secret of [token, renewal ?? token, pending]) expect(url.href).to.not.include(secret);
    }),
    each('starts every login with new values', async (login) => {
      const logins = await Promise.all([login.begin(REDIRECT, signal), login.begin(REDIRECT, signal)]);
      expect(new Set(logins.map(({ url }) => url.href)).size, 'addresses').to.equal(2);
      expect(new Set(logins.map(({ pending }) => pending)).size, 'what is kept').to.equal(2);
    }),
    each('refuses the redirect of another login', async (login, agree) => {
      const [mine, other] = [await login.begin(REDIRECT, signal), await login.begin(REDIRECT, signal)];
      const redirect = await agree(other.url);
      await refused(login.finish(redirect, mine.pending, signal));
    }),
    each('refuses unknown logins and unknown refresh data', async (login, agree) => {
      const { url } = await login.begin(REDIRECT, signal);
      const redirect = await agree(url);
      for (const garbage of GARBAGE) {
        await refused(login.finish(redirect, garbage, signal));
        await refused(login.renew(garbage, signal));
      }
    }),
    each('ends without an error for any input', async (login) => {
      for (const garbage of GARBAGE) {
        await login.end(garbage, signal);
        for (const one of [signal, AbortSignal.abort()]) {
          const there = await login.leave?.(garbage, HOME, one);
          if (there !== undefined) expect(there.protocol).to.match(/^https?:$/);
        }
      }
    }),
  ];
}

async function refused(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    expect(isPortolanError(error) && error.class, String(error)).to.equal('refused');
    return;
  }
  expect.fail('expected a rejection');
}
