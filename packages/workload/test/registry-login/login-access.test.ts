import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRecordingLogger } from '@portolan/plugin-testing';
import type { SecretStore } from '@portolan/plugin-api';
import { expect } from 'chai';
import { accessOf, type RegistryLoginContext } from '../../src/registry-login/login-access.ts';
import {
  type LoginTokens,
  readLoginTokens,
  storeLoginTokens,
} from '../../src/registry-login/login-tokens.ts';
import { type RegistryLogin, rememberRegistryLogin } from '../../src/registry-login/registry-logins.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const ADDRESS = 'https://registry.acme.example';
const ISSUER = 'https://sso.acme.example';
const LOGIN: RegistryLogin = {
  id: 'first',
  address: ADDRESS,
  resource: ADDRESS,
  issuer: ISSUER,
  clientId: 'cli',
  token: 'access_token',
  registration: undefined,
  scopes: [],
  subject: 'ada',
};
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  code_challenge_methods_supported: ['S256'],
};
const { signal } = new AbortController();

describe('accessOf (login to a registry)', () => {
  let root = '';
  let context: RegistryLoginContext;
  let secrets: Map<string, string>;
  let trades: string[];
  /** Returns the response of the token endpoint. Each refresh token is valid once. */
  let answer: () => Response;
  let storing: () => void;
  let now: Date;
  const logger = createRecordingLogger();

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-access-'));
    const base = testWorkloadContext(root);
    secrets = new Map();
    trades = [];
    storing = () => undefined;
    now = new Date('2026-11-22T12:00:00Z');
    let given = 1;
    answer = () => {
      given += 1;
      const body = {
        token_type: 'Bearer',
        access_token: `access-${given}`,
        refresh_token: `refresh-${given}`,
        expires_in: 60,
      };
      return Response.json(body);
    };
    const store: SecretStore = {
      find: async (name) => secrets.get(name),
      set: async (name, value) => {
        storing();
        secrets.set(name, value);
      },
      delete: async (name) => secrets.delete(name),
    };
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const url = String(input instanceof Request ? input.url : input);
      if (url.includes('/.well-known/')) return Response.json(METADATA);
      const { body } = init ?? {};
      trades.push(body instanceof URLSearchParams ? (body.get('refresh_token') ?? '') : 'no form');
      return answer();
    };
    context = {
      ...base,
      environment: {},
      user: { ...base.user, secretsProvider: 'memory' },
      clock: () => now,
      logger,
      openFetch: async () => ({ fetch, close: async () => undefined }),
      kinds: {
        ...base.kinds,
        openSecretStore: async () => ({ name: 'memory', can: ['set', 'delete'], store }),
      },
    };
    await rememberRegistryLogin(ADDRESS, LOGIN, context.directories, signal);
    await keep({ accessToken: 'access-1', refreshToken: 'refresh-1' });
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  async function keep(tokens: Pick<LoginTokens, 'accessToken' | 'refreshToken'>): Promise<void> {
    const rest = { clientSecret: undefined, registrationToken: undefined };
    const issuedAt = now.toISOString();
    const expiresAt = new Date(now.getTime() + 60_000).toISOString();
    await storeLoginTokens(ADDRESS, { ...tokens, ...rest, issuedAt, expiresAt }, context);
  }
  const later = (seconds: number): void => void (now = new Date(now.getTime() + seconds * 1000));
  const failure = async (asked: Promise<unknown>): Promise<unknown> =>
    await asked.then(
      () => 'nothing was thrown',
      (error: unknown) => error,
    );

  it('returns the stored token without a request while it is valid', async () => {
    later(50);
    expect(await accessOf(LOGIN, context).token()).to.equal('access-1');
    expect(trades).to.deep.equal([]);
  });

  it('renews an expiring token, and stores the new ones', async () => {
    later(55);
    expect(await accessOf(LOGIN, context).token()).to.equal('access-2');
    expect(await readLoginTokens(ADDRESS, context)).to.include({
      accessToken: 'access-2',
      refreshToken: 'refresh-2',
    });
  });

  it('renews once for several concurrent commands with the same old token', async () => {
    const commands = Array.from({ length: 8 }, () => accessOf(LOGIN, context));
    expect(new Set(await Promise.all(commands.map((access) => access.token())))).to.deep.equal(
      new Set(['access-1']),
    );
    const renewed = await Promise.all(commands.map((access) => access.renewed('access-1')));
    expect(new Set(renewed)).to.deep.equal(new Set(['access-2']));
    expect(trades).to.deep.equal(['refresh-1']);
  });

  it('renews once for several concurrent requests of one command', async () => {
    const access = accessOf(LOGIN, context);
    const token = (await access.token()) ?? '';
    const renewed = await Promise.all(Array.from({ length: 8 }, () => access.renewed(token)));
    expect(new Set(renewed)).to.deep.equal(new Set(['access-2']));
    expect(await access.token()).to.equal('access-2');
    expect(trades).to.deep.equal(['refresh-1']);
  });

  it('returns a token that could not be stored, and logs the failure', async () => {
    storing = () => {
      throw new Error('the disk is full');
    };
    later(61);
    expect(await accessOf(LOGIN, context).token()).to.equal('access-2');
    const lines = JSON.stringify(logger.lines);
    expect(lines).to.include('could not be stored').and.not.to.include('refresh-2');
  });

  const over = [
    {
      title: 'that the issuer has revoked',
      prepare: async () => void (answer = () => Response.json({ error: 'invalid_grant' }, { status: 400 })),
    },
    {
      title: 'without a refresh token',
      prepare: async () => await keep({ accessToken: 'access-1', refreshToken: undefined }),
    },
    {
      title: 'that was logged out meanwhile',
      prepare: async () => await rememberRegistryLogin(ADDRESS, undefined, context.directories, signal),
    },
    { title: 'whose secret is gone', prepare: async () => secrets.clear() },
    {
      title: 'that another login has replaced',
      prepare: async () =>
        await rememberRegistryLogin(ADDRESS, { ...LOGIN, id: 'second' }, context.directories, signal),
    },
  ];
  for (const { title, prepare } of over) {
    it(`throws ERR_LOGIN_EXPIRED with the login command for a login ${title}`, async () => {
      await prepare();
      later(61);
      const error = await failure(accessOf(LOGIN, context).token());
      expect(error).to.include({
        code: 'ERR_LOGIN_EXPIRED',
        hint: `Log in again: \`portolan registry login ${ADDRESS}\`.`,
      });
    });
  }

  it('keeps a login while the issuer is unavailable', async () => {
    answer = () => new Response('', { status: 503 });
    later(61);
    expect(await failure(accessOf(LOGIN, context).token())).to.include({ code: 'ERR_LOGIN_TOKEN' });
    expect(await readLoginTokens(ADDRESS, context)).to.include({ refreshToken: 'refresh-1' });
  });

  it('rejects a response without an ID token when the registry requires one', async () => {
    const login = { ...LOGIN, token: 'id_token' } as const;
    later(61);
    expect(await failure(accessOf(login, context).token())).to.include({ code: 'ERR_LOGIN_REFUSED' });
  });
});
