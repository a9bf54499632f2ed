import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestContext, leavesNothingOpen } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { OauthConfig, ProviderConfig } from '../src/index.ts';
import { createOauthAuth } from '../src/oauth-auth.ts';

describe('createOauthAuth', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'portolan-oauth-'));
    await writeFile(join(directory, 'secret'), 'secret\n');
    await writeFile(join(directory, 'empty'), ' \n');
    await writeFile(join(directory, 'lines'), 'one\ntwo');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const usual: ProviderConfig = {
    name: 'main',
    issuerUrl: 'https://sso.acme.example/realms/main',
    audience: 'registry',
    allowPrivateIP: false,
  };

  /** Problems as they are told, without what stands around them and without the folder. */
  async function problemsOf(
    providers: readonly Partial<ProviderConfig>[],
    more: Partial<OauthConfig> = {},
  ): Promise<readonly string[]> {
    const config = {
      realm: 'mcp-registry',
      allowInsecureIssuers: false,
      providers: providers.map((provider) => ({ ...usual, ...provider })),
      ...more,
    };
    try {
      const auth = await createOauthAuth(config, createTestContext({ directory }));
      await auth.close?.();
      return [];
    } catch (error) {
      expect(error).to.include({ code: 'ERR_OAUTH_CONFIG' });
      const text = error instanceof Error ? error.message : '';
      return text
        .replaceAll(`${directory}/`, '')
        .replace(/^Found .*? in auth\.oauth:\s+/, '')
        .split('\n  ');
    }
  }

  const loopback = 'is http; expected https, since its host is not localhost, 127.0.0.1 or ::1';

  for (const { title, provider, more, expected } of [
    { title: 'the usual', provider: {}, expected: [] },
    { title: 'http on localhost', provider: { issuerUrl: 'http://localhost:8080/' }, expected: [] },
    { title: 'http on 127.0.0.1', provider: { issuerUrl: 'http://127.0.0.1' }, expected: [] },
    { title: 'http on ::1', provider: { issuerUrl: 'http://[::1]:1234' }, expected: [] },
    {
      title: 'http elsewhere',
      provider: { issuerUrl: 'http://sso.acme.example' },
      expected: [`providers[0].issuerUrl ${loopback}`],
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
      expected: ['providers[0].issuerUrl begins with file:; expected https:'],
    },
    {
      title: 'an issuer without scheme',
      provider: { issuerUrl: 'sso.acme.example' },
      expected: ['providers[0].issuerUrl is no absolute address'],
    },
    {
      title: 'an issuer with a query',
      provider: { issuerUrl: 'https://sso.acme.example/?a' },
      expected: ['providers[0].issuerUrl has a query or a fragment'],
    },
    {
      title: 'an issuer with a password',
      provider: { issuerUrl: 'https://a:b@sso.acme.example' },
      expected: ['providers[0].issuerUrl has a user or password in it'],
    },
    {
      title: 'other addresses with http',
      provider: { jwksUrl: 'http://a.example/', introspectionUrl: 'http://b.example/' },
      expected: [`providers[0].jwksUrl ${loopback}`, `providers[0].introspectionUrl ${loopback}`],
    },
    {
      title: 'a relative secret without client',
      provider: { clientSecretFile: 'secret' },
      expected: [
        'providers[0].clientSecretFile is relative; expected an absolute path',
        'providers[0].clientSecretFile stands without clientId',
      ],
    },
    {
      title: 'a secret that is not there',
      provider: { clientId: 'a', clientSecretFile: '/nowhere/secret' },
      expected: ['providers[0].clientSecretFile: The file /nowhere/secret cannot be read: ENOENT'],
    },
    {
      title: 'files that cannot be used',
      provider: { authTokenFile: 'lines', caCertPath: 'secret' },
      expected: [
        'providers[0].authTokenFile: The file lines holds more than one line of printable ASCII characters',
        'providers[0].caCertPath: The certificate authorities cannot be used: there is no certificate in it',
      ],
    },
    {
      title: 'files that are empty or folders',
      provider: { authTokenFile: 'empty', caCertPath: '.' },
      expected: [
        'providers[0].authTokenFile: The file empty is empty',
        /^providers\[0\]\.caCertPath: The file .* cannot be read: EISDIR$/,
      ],
    },
    {
      title: 'a resource with http',
      provider: {},
      more: { resourceUrl: 'http://localhost:8080' },
      expected: [],
    },
    {
      title: 'a resource with a path',
      provider: {},
      more: { resourceUrl: 'https://acme.example/registry' },
      expected: [],
    },
    {
      title: 'a resource with a fragment',
      provider: {},
      more: { resourceUrl: 'https://acme.example/#' },
      expected: ['resourceUrl has more than a host and a path'],
    },
    {
      title: 'a resource that is no address',
      provider: {},
      more: { resourceUrl: 'acme' },
      expected: ['resourceUrl is no absolute address'],
    },
    {
      title: 'a resource that is no web address',
      provider: {},
      more: { resourceUrl: 'urn:acme' },
      expected: ['resourceUrl is neither https nor http'],
    },
  ]) {
    it(`finds ${expected.length === 0 ? 'nothing wrong' : 'what is wrong'} with ${title}`, async () => {
      const problems = await problemsOf([provider], more);
      expect(problems).to.have.lengthOf(expected.length);
      for (const [index, each] of expected.entries()) {
        if (typeof each === 'string') expect(problems[index]).to.equal(each);
        else expect(problems[index]).to.match(each);
      }
    });
  }

  it('finds names and tokens that two providers have in common', async () => {
    expect(
      await problemsOf([{}, { audience: 'other' }, { name: 'third', issuerUrl: `${usual.issuerUrl}/` }]),
    ).to.deep.equal([
      'providers[1].name "main" is already taken',
      'providers[2] has issuer and audience of another provider',
    ]);
  });

  it('tells the problems of all providers at once, and leaves nothing open', async () => {
    await leavesNothingOpen(async () => {
      const bad = { issuerUrl: 'http://sso.acme.example' };
      const others = [{ name: 'second', jwksUrl: 'x', audience: 'b' }, { name: 'third' }];
      expect(await problemsOf([bad, ...others])).to.deep.equal([
        `providers[0].issuerUrl ${loopback}`,
        'providers[1].jwksUrl is no absolute address',
      ]);
    });
  });
});
