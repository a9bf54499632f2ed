import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { findLogin, type NamedLogin } from '../../src/discovery/find-login.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';
import { type EditDocument, OauthWorld } from '../support/oauth-world.ts';

const NAMED: NamedLogin = {
  issuer: undefined,
  clientId: undefined,
  authorizeUrl: undefined,
  tokenUrl: undefined,
  resource: undefined,
  scopes: undefined,
};
const { signal } = new AbortController();
const untouched: EditDocument = (_path, document) => document;

describe('findLogin', () => {
  let world: OauthWorld;
  let web: OauthWeb;
  before(async () => {
    world = await OauthWorld.open();
    web = await OauthWeb.open({ named: [world.remote], openFetch, environment: {} });
  });
  afterEach(() => {
    world.edit = untouched;
  });
  after(async () => {
    await web.close();
    await world.close();
  });

  async function find(
    named: Partial<NamedLogin> = {},
    challenge = new Map<string, string>(),
  ): Promise<unknown> {
    const remote = new URL(world.remote);
    return await findLogin(remote, { ...NAMED, ...named }, challenge, web, signal).catch(
      (error: unknown) => error,
    );
  }

  /** Changes the metadata of the remote, or of the authorization server. */
  function lie(about: 'resource' | 'issuer', change: object): void {
    world.edit = (path, document) =>
      path.includes('protected-resource') === (about === 'resource') ? { ...document, ...change } : document;
  }

  it('requests the scopes of the challenge before those of the metadata', async () => {
    expect(await find({}, new Map([['scope', 'a b']]))).to.deep.include({
      scopes: ['a', 'b', 'offline_access'],
    });
    expect(await find()).to.deep.include({ scopes: ['mcp.read', 'offline_access'] });
    expect(await find({ scopes: ['mine'] })).to.deep.include({ scopes: ['mine'] });
  });

  it('uses the issuer and the endpoints from the user', async () => {
    expect(await find({ issuer: world.issuer })).to.have.nested.property('server.issuer', world.issuer);
    const gone = new Map([['resource_metadata', `${new URL(world.remote).origin}/nowhere`]]);
    expect(await find({}, gone)).to.include({ code: 'ERR_LOGIN_DISCOVERY' });
    expect(await find({ issuer: world.issuer }, gone)).to.include({ resource: world.remote });
    const named = { authorizeUrl: 'https://id.example/a', tokenUrl: 'https://id.example/t' };
    expect(await find(named)).to.have.nested.property(
      'server.metadata.token_endpoint',
      'https://id.example/t',
    );
  });

  const named: readonly (readonly [title: string, named: Partial<NamedLogin>])[] = [
    ['from the remote', {}],
    ['from the user', { issuer: 'ISSUER' }],
  ];
  for (const [title, { issuer }] of named) {
    it(`accepts an issuer ${title} without PKCE metadata for a client that the user registered (typescript-sdk 832, claude-ai-mcp 786, vercel/ai 18674)`, async () => {
      lie('issuer', { code_challenge_methods_supported: undefined });
      const login = issuer === undefined ? {} : { issuer: world.issuer };
      expect(await find({ ...login, clientId: '1111' })).to.have.nested.property(
        'server.issuer',
        world.issuer,
      );
      const refused = await find(login);
      for (const flag of [
        '--remote-auth-client-id',
        '--remote-auth-authorize-url and --remote-auth-token-url',
      ])
        expect(refused).to.have.property('hint').that.includes(flag);
      lie('issuer', { code_challenge_methods_supported: ['plain'] });
      expect(await find({ ...login, clientId: '1111' })).to.include({ code: 'ERR_LOGIN_UNTRUSTED' });
    });
  }

  it('requests the scopes of the remote with endpoints from the user (codex 17265)', async () => {
    const endpoints = { authorizeUrl: 'https://id.example/a', tokenUrl: 'https://id.example/t' };
    expect(await find(endpoints)).to.deep.include({ scopes: ['mcp.read'] });
    lie('resource', { resource: 'https://bank.example/' });
    expect(await find(endpoints)).to.deep.include({ scopes: undefined });
  });

  it('tells the user to name the tenant when the metadata contains {tenantid} (codex 38973)', async () => {
    lie('issuer', { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' });
    const error = await find();
    expect(error).to.include({ code: 'ERR_LOGIN_UNTRUSTED' });
    expect(error).to.have.property('hint').that.includes('Name the tenant: --remote-auth-issuer');
  });

  it('sends no resource when the user names an empty one (Entra, AADSTS9010010; codex 17265)', async () => {
    const endpoints = { authorizeUrl: 'https://id.example/a', tokenUrl: 'https://id.example/t' };
    expect(await find({ resource: '' })).to.include({ resource: undefined });
    expect(await find({ ...endpoints, resource: '' })).to.deep.include({
      resource: undefined,
      scopes: ['mcp.read'],
    });
  });

  const lies: readonly {
    readonly title: string;
    readonly about: 'resource' | 'issuer';
    readonly change: object;
    readonly says: RegExp;
  }[] = [
    {
      title: 'metadata of another resource',
      about: 'resource',
      change: { resource: 'https://bank.example/' },
      says: /is about "https:\/\/bank/,
    },
    {
      title: 'metadata of a sibling resource',
      about: 'resource',
      change: { resource: 'PLACEHOLDER/mc' },
      says: /is about/,
    },
    {
      title: 'metadata without a resource',
      about: 'resource',
      change: { resource: undefined },
      says: /is about no resource/,
    },
    {
      title: 'an authorization server at a javascript: address',
      about: 'resource',
      change: { authorization_servers: ['javascript:alert(1)'] },
      says: /javascript:/,
    },
    {
      title: 'an authorization server over http on another host',
      about: 'resource',
      change: { authorization_servers: ['http://id.example'] },
      says: /only https/,
    },
    {
      title: 'an authorization server address with a password',
      about: 'resource',
      change: { authorization_servers: ['https://a:b@id.example'] },
      says: /a user or a password/,
    },
    {
      title: 'an authorization server in the local network',
      about: 'resource',
      change: { authorization_servers: ['https://169.254.169.254'] },
      says: /was not fetched|no metadata/,
    },
    {
      title: 'an authorization server at a private address',
      about: 'resource',
      change: { authorization_servers: ['https://10.0.0.1/x'] },
      says: /was not fetched|no metadata/,
    },
    {
      title: 'another issuer',
      about: 'issuer',
      change: { issuer: 'https://id.example' },
      says: /is about "https:\/\/id.example"/,
    },
    {
      title: 'an issuer with an additional slash',
      about: 'issuer',
      change: { issuer: 'PLACEHOLDER/' },
      says: /is about/,
    },
    { title: 'no issuer', about: 'issuer', change: { issuer: undefined }, says: /no issuer/ },
    {
      title: 'no PKCE',
      about: 'issuer',
      change: { code_challenge_methods_supported: undefined },
      says: /PKCE/,
    },
    {
      title: 'only plain PKCE',
      about: 'issuer',
      change: { code_challenge_methods_supported: ['plain'] },
      says: /PKCE/,
    },
    {
      title: 'a login page at a javascript: address',
      about: 'issuer',
      change: { authorization_endpoint: 'javascript:alert(1)' },
      says: /authorization_endpoint/,
    },
    {
      title: 'a login page at a file: address',
      about: 'issuer',
      change: { authorization_endpoint: 'file:///etc/passwd' },
      says: /authorization_endpoint/,
    },
    {
      title: 'a token endpoint over http',
      about: 'issuer',
      change: { token_endpoint: 'http://id.example/token' },
      says: /token_endpoint/,
    },
    {
      title: 'a token endpoint that is a number',
      about: 'issuer',
      change: { token_endpoint: 7 },
      says: /token_endpoint/,
    },
    {
      title: 'a registration endpoint over http',
      about: 'issuer',
      change: { registration_endpoint: 'http://id.example/reg' },
      says: /registration_endpoint/,
    },
    {
      title: 'a revocation endpoint with a fragment',
      about: 'issuer',
      change: { revocation_endpoint: 'https://id.example/r#x' },
      says: /revocation_endpoint/,
    },
    {
      title: 'metadata of 2 MB',
      about: 'issuer',
      change: { padding: 'x'.repeat(2_000_000) },
      says: /was not fetched/,
    },
  ];
  for (const { title, about, change, says } of lies) {
    it(`refuses ${title}`, async () => {
      const origin = about === 'resource' ? new URL(world.remote).origin : world.issuer;
      const own = Object.entries(change).map(([key, value]) => [
        key,
        typeof value === 'string' ? value.replace('PLACEHOLDER', origin) : (value as unknown),
      ]);
      lie(about, Object.fromEntries(own));
      const error = await find();
      expect(error).to.be.an('error').with.property('message').that.matches(says);
      expect(error)
        .to.have.property('code')
        .that.matches(/^ERR_LOGIN_(?:UNTRUSTED|DISCOVERY)$/);
    });
  }

  it('uses a remote without metadata as its own authorization server, as in 2025-03-26', async () => {
    const bare = await OauthWorld.open();
    try {
      bare.edit = () => ({});
      const remote = new URL(`${new URL(bare.issuer).origin}/mcp`);
      const found = await findLogin(remote, NAMED, new Map(), web, signal).catch((error: unknown) => error);
      expect(found).to.be.an('error').with.property('message').that.includes('no issuer');
      bare.edit = untouched;
      const own = await findLogin(remote, NAMED, new Map(), web, signal);
      expect(own.server.issuer).to.equal(bare.issuer);
    } finally {
      await bare.close();
    }
  });
});
