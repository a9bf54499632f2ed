import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkSettings } from '../src/config/check-settings.ts';
import type { ListedProvider, OauthConfig } from '../src/index.ts';

const PEM = '-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n';

const usual: ListedProvider = {
  name: 'main',
  issuerUrl: 'https://sso.acme.example/realms/main',
  audience: 'registry',
  allowPrivateIP: false,
};

const login = { scopes: [], parameters: {}, token: 'access_token' } as const;

describe('checkSettings', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'portolan-oauth-'));
    const files = {
      secret: 'hunter2\n',
      empty: ' \n',
      lines: 'hunter2\nhunter3',
      large: 'x'.repeat(1_048_577),
      'broken.pem': PEM,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    await mkdir(join(directory, 'folder'));
  });
  after(() => rm(directory, { recursive: true }));

  /** Each as `place: found; expected`, without the folder. */
  function problemsOf(
    providers: readonly Partial<ListedProvider>[],
    more: Partial<OauthConfig> = {},
  ): readonly string[] {
    const config = {
      realm: 'mcp-registry',
      scopes: [],
      mcpRules: false,
      allowInsecureIssuers: false,
      providers: providers.map((provider) => ({ ...usual, ...provider })),
      ...more,
    };
    const problems = checkSettings(config, { directory, trustsLoopback: false });
    expect(JSON.stringify(problems)).not.to.match(/hunter|private/);
    return problems.map(({ place, found, expected }) =>
      `${place}: ${found}; ${expected}`.replaceAll(`${directory}/`, ''),
    );
  }

  const loopback = 'an https address; http is for the hosts localhost, 127.0.0.1 and ::1';
  const resource = 'an https or http address with a host and a path only';
  const cases: readonly {
    title: string;
    provider?: Partial<ListedProvider>;
    more?: Partial<OauthConfig>;
    expected: readonly string[];
  }[] = [
    { title: 'the usual', expected: [] },
    {
      title: 'http on localhost',
      provider: { issuerUrl: 'http://localhost:8080/', allowPrivateIP: true },
      expected: [],
    },
    {
      title: 'http on 127.0.0.1',
      provider: { issuerUrl: 'http://127.0.0.1', allowPrivateIP: true },
      expected: [],
    },
    {
      title: 'http on ::1',
      provider: { issuerUrl: 'http://[::1]:1234', allowPrivateIP: true },
      expected: [],
    },
    {
      title: 'http elsewhere',
      provider: { issuerUrl: 'http://sso.acme.example/private' },
      expected: [`providers[0].issuerUrl: an http address of sso.acme.example; ${loopback}`],
    },
    {
      title: 'http elsewhere, when allowed',
      provider: { issuerUrl: 'http://sso.acme.example' },
      more: { allowInsecureIssuers: true },
      expected: [],
    },
    {
      title: 'an issuer that is a file',
      provider: { issuerUrl: 'file:///etc' },
      more: { allowInsecureIssuers: true },
      expected: ['providers[0].issuerUrl: an address that begins with file:; an https address'],
    },
    {
      title: 'an issuer without scheme',
      provider: { issuerUrl: 'sso.acme.example' },
      expected: ['providers[0].issuerUrl: no absolute address; an https address'],
    },
    {
      title: 'an issuer with a query',
      provider: { issuerUrl: 'https://sso.acme.example/?private' },
      expected: ['providers[0].issuerUrl: an address with a query or a fragment; an address without them'],
    },
    {
      title: 'an issuer with a password',
      provider: { issuerUrl: 'https://ada:hunter2@sso.acme.example' },
      expected: ['providers[0].issuerUrl: an address with a user or password; an https address without them'],
    },
    {
      title: 'other addresses with http',
      provider: { jwksUrl: 'http://a.example/', introspectionUrl: 'http://b.example/' },
      expected: [
        `providers[0].jwksUrl: an http address of a.example; ${loopback}`,
        `providers[0].introspectionUrl: an http address of b.example; ${loopback}`,
      ],
    },
    {
      title: 'a login without a client, with parameters of its own',
      provider: { login: { ...login, parameters: { state: 'x', prompt: 'login' } } },
      expected: [
        'providers[0].login.clientId: nothing; a value, or publicClientId',
        'providers[0].login.parameters.state: a parameter that the login itself sets; no parameter of this name',
      ],
    },
    {
      title: 'a login with a client that has no name, a secret that is not there and addresses without TLS',
      provider: {
        login: {
          ...login,
          publicClientId: 'cli',
          clientSecretFile: '/nowhere/secret',
          authorizationUrl: 'http://sso.acme.example/auth',
          tokenUrl: 'http://sso.acme.example/token',
        },
      },
      expected: [
        'providers[0].login.clientId: nothing; a value, since clientSecretFile is given',
        'providers[0].login.clientSecretFile: "/nowhere/secret", which does not exist; a file with one line of text',
        `providers[0].login.authorizationUrl: an http address of sso.acme.example; ${loopback}`,
        `providers[0].login.tokenUrl: an http address of sso.acme.example; ${loopback}`,
      ],
    },
    {
      title: 'ID tokens that nobody asks for',
      provider: { login: { ...login, clientId: 'pages', token: 'id_token' } },
      expected: [
        'providers[0].login.scopes: a list without "openid"; a list with "openid", because only then the provider issues an ID token',
      ],
    },
    {
      title: 'keys at a public address, and codes traded at one that is not',
      provider: {
        jwksUrl: 'https://keys.acme.example',
        login: {
          ...login,
          clientId: 'pages',
          authorizationUrl: 'https://sso.acme.example',
          tokenUrl: 'https://10.0.0.1/token',
        },
      },
      expected: [
        'providers[0].allowPrivateIP: false; true, since login.tokenUrl leads to an address that is not public',
      ],
    },
    {
      title: 'keys at a public address, and a login that is discovered at one that is not',
      provider: {
        issuerUrl: 'https://10.0.0.1',
        jwksUrl: 'https://keys.acme.example',
        login: { ...login, clientId: 'pages' },
      },
      expected: [
        'providers[0].allowPrivateIP: false; true, since issuerUrl leads to an address that is not public',
      ],
    },
    {
      title: 'a relative secret without client',
      provider: { clientSecretFile: 'secret' },
      expected: [
        'providers[0].clientId: nothing; a value, since clientSecretFile is given',
        'providers[0].clientSecretFile: the relative path "secret"; an absolute path',
      ],
    },
    {
      title: 'a secret that is not there',
      provider: { clientId: 'a', clientSecretFile: '/nowhere/secret' },
      expected: [
        'providers[0].clientSecretFile: "/nowhere/secret", which does not exist; a file with one line of text',
      ],
    },
    {
      title: 'a secret that is a device, which is read when it is needed',
      provider: { clientId: 'a', clientSecretFile: '/dev/null' },
      expected: [],
    },
    { title: 'a token of one line', provider: { authTokenFile: 'secret' }, expected: [] },
    {
      title: 'files that hold something else',
      provider: { authTokenFile: 'lines', caCertPath: 'secret' },
      expected: [
        'providers[0].caCertPath: a file without a certificate; a PEM file with certificates',
        'providers[0].authTokenFile: a file with more than one line of printable ASCII characters; a file with one line of text',
      ],
    },
    {
      title: 'a certificate that cannot be read, and too large a token',
      provider: { caCertPath: 'broken.pem', authTokenFile: 'large' },
      expected: [
        'providers[0].caCertPath: a file with a certificate that cannot be read; a PEM file with certificates',
        'providers[0].authTokenFile: "large", which has more than 1048576 bytes; a file with one line of text',
      ],
    },
    {
      title: 'an empty file and a folder',
      provider: { authTokenFile: 'empty', caCertPath: './folder' },
      expected: [
        'providers[0].caCertPath: the folder "folder"; a PEM file with certificates',
        'providers[0].authTokenFile: the empty file "empty"; a file with one line of text',
      ],
    },
    {
      title: 'a file below a file',
      provider: { caCertPath: 'empty/ca.pem' },
      expected: [
        'providers[0].caCertPath: "empty/ca.pem", which does not exist; a PEM file with certificates',
      ],
    },
    {
      title: 'a secret of both kinds that is no line',
      provider: { clientId: 'a', clientSecret: 'hunter\n2', clientSecretFile: '/dev/null' },
      expected: [
        'providers[0].clientSecret: a value together with clientSecretFile; only one of the two',
        'providers[0].clientSecret: a value with other characters; one line of printable ASCII characters',
      ],
    },
    { title: 'a resource with http', more: { resourceUrl: 'http://localhost:8080' }, expected: [] },
    { title: 'a resource with a path', more: { resourceUrl: 'https://acme.example/registry' }, expected: [] },
    {
      title: 'a resource with a fragment',
      more: { resourceUrl: 'https://acme.example/#' },
      expected: [`resourceUrl: an address with a query or a fragment; ${resource}`],
    },
    {
      title: 'a resource with a password',
      more: { resourceUrl: 'https://ada:hunter2@acme.example/' },
      expected: [`resourceUrl: an address with a user or password; ${resource}`],
    },
    {
      title: 'an issuer for any tenant of Microsoft Entra (codex 38973)',
      provider: { issuerUrl: 'https://login.microsoftonline.com/common/v2.0' },
      expected: [
        'providers[0].issuerUrl: an address for any tenant, which no token names as its issuer; the address of one tenant; name the tenant: https://login.microsoftonline.com/TENANT-ID/v2.0',
      ],
    },
    {
      title: 'a resource that is not an address',
      more: { resourceUrl: 'acme' },
      expected: [`resourceUrl: no absolute address; ${resource}`],
    },
    {
      title: 'a resource that is no web address',
      more: { resourceUrl: 'urn:acme' },
      expected: [`resourceUrl: an address that begins with urn:; ${resource}`],
    },
  ];
  for (const { title, provider = {}, more, expected } of cases) {
    it(`${expected.length === 0 ? 'accepts' : 'refuses'} ${title}`, () => {
      expect(problemsOf([provider], more)).to.deep.equal(expected);
    });
  }

  const bare = { realm: '', scopes: [], mcpRules: true, allowInsecureIssuers: false };
  const least = { name: 'main', anyAudience: true, allowPrivateIP: false };
  for (const { title, provider, expected } of [
    {
      title: 'nobody to say whether a token is good',
      provider: least,
      expected: ['issuerUrl: nothing; a value, or jwksUrl, or introspectionUrl'],
    },
    {
      title: 'no audience',
      provider: { ...least, anyAudience: false, issuerUrl: 'https://sso.acme.example' },
      expected: ['audience: nothing; a value, or clientIds, or anyAudience'],
    },
    {
      title: 'any audience beside one',
      provider: { ...least, audience: 'a', issuerUrl: 'https://sso.acme.example' },
      expected: ['anyAudience: true together with audience; only one of the two'],
    },
    { title: 'keys alone', provider: { ...least, jwksUrl: 'https://sso.acme.example/keys' }, expected: [] },
    {
      title: 'introspection alone',
      provider: { ...least, introspectionUrl: 'https://sso.acme.example/introspect' },
      expected: [],
    },
    {
      title: 'any audience at Google',
      provider: { ...least, introspectionUrl: 'https://oauth2.googleapis.com/tokeninfo' },
      expected: ['audience: nothing; a value, because Google accepts tokens of all clients'],
    },
  ]) {
    it(`${expected.length === 0 ? 'accepts' : 'refuses'} ${title}`, () => {
      const problems = checkSettings({ ...bare, provider }, { directory, trustsLoopback: false });
      expect(
        problems.map(({ place, found, expected: wanted }) => `${place}: ${found}; ${wanted}`),
      ).to.deep.equal(expected.map((problem) => `provider.${problem}`));
    });
  }

  it('reports names and tokens that two providers share', () => {
    expect(
      problemsOf([{}, { audience: 'other' }, { name: 'third', issuerUrl: `${usual.issuerUrl}/` }]),
    ).to.deep.equal([
      'providers[1].name: "main", as in providers[0]; a unique name',
      'providers[2]: issuer, audience and clients of providers[0]; another issuer, another audience or other clients',
    ]);
  });

  it('reports the problems of all providers at once', () => {
    const bad = { issuerUrl: 'http://sso.acme.example' };
    const others = [{ name: 'second', jwksUrl: 'x', audience: 'b' }, { name: 'third' }];
    expect(problemsOf([bad, ...others])).to.deep.equal([
      `providers[0].issuerUrl: an http address of sso.acme.example; ${loopback}`,
      'providers[1].jwksUrl: no absolute address; an https address',
    ]);
  });
});
