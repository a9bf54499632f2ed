import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { accessWith } from '../../src/connection/registry-access.ts';
import { findRegistryAccess } from '../../src/lookup/registry-token.ts';
import { caught } from '../../../../test/support/caught.ts';

const REGISTRY = new URL('https://acme.example/registry/main');

describe('findRegistryAccess', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-access-'));
    await writeFile(path.join(folder, 'token'), 'of.a.file\n');
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  const FILE = { PORTOLAN_REGISTRY_TOKEN_FILE: 'token' };
  const TOKEN = { PORTOLAN_TOKEN: ' of.a.variable ', PORTOLAN_URL: 'https://acme.example' };

  const cases = [
    {
      title: 'prefers the token of the file',
      environment: { ...FILE, ...TOKEN },
      login: true,
      expected: 'of.a.file',
    },
    { title: 'then that of the variable', environment: TOKEN, login: true, expected: 'of.a.variable' },
    { title: 'then that of the login', environment: {}, login: true, expected: 'of.a.login' },
    { title: 'then sends no token', environment: {}, login: false, expected: undefined },
    {
      title: 'sends the token of the variable to no registry of another server',
      environment: { ...TOKEN, PORTOLAN_URL: 'https://other.example' },
      login: true,
      expected: 'of.a.login',
    },
    {
      title: 'sends the token of the variable nowhere when no server is named',
      environment: { PORTOLAN_TOKEN: 'of.a.variable' },
      login: false,
      expected: undefined,
    },
    {
      title: 'N10 › uses PORTOLAN_TOKEN_FILE for the server of PORTOLAN_URL',
      environment: { PORTOLAN_TOKEN_FILE: 'token', PORTOLAN_URL: 'https://acme.example' },
      login: true,
      expected: 'of.a.file',
    },
    {
      title: 'N10 › sends the token of PORTOLAN_TOKEN_FILE to no other server',
      environment: { PORTOLAN_TOKEN_FILE: 'token', PORTOLAN_URL: 'https://other.example' },
      login: false,
      expected: undefined,
    },
    {
      title: 'N10 › sends the token of PORTOLAN_TOKEN_FILE nowhere without PORTOLAN_URL',
      environment: { PORTOLAN_TOKEN_FILE: 'token' },
      login: false,
      expected: undefined,
    },
    {
      title: 'treats empty variables as unset',
      environment: { PORTOLAN_REGISTRY_TOKEN_FILE: '', PORTOLAN_TOKEN: '', PORTOLAN_URL: '' },
      login: true,
      expected: 'of.a.login',
    },
  ];
  for (const { title, environment, login, expected } of cases) {
    it(title, async () => {
      const access = await findRegistryAccess(REGISTRY, {
        environment,
        workingDirectory: folder,
        findLogin: async () => (login ? accessWith('of.a.login') : undefined),
      });
      expect(await access.token()).to.equal(expected);
      expect(access.from).to.equal(expected === undefined ? 'nowhere' : 'user');
    });
  }

  const refused = [
    {
      title: 'a token for an http address',
      registry: 'http://acme.example/',
      token: 'a.b',
      code: 'ERR_LOOKUP_ADDRESS',
    },
    {
      title: 'an invalid token',
      registry: 'https://acme.example/',
      token: 'sesame open',
      code: 'ERR_NAMED_FILE',
    },
  ];
  for (const { title, registry, token, code } of refused) {
    it(`rejects ${title}, and does not show it`, async () => {
      const environment = { PORTOLAN_TOKEN: token, PORTOLAN_URL: registry };
      const error = await caught(() =>
        findRegistryAccess(new URL(registry), { environment, workingDirectory: folder }),
      );
      expect(error).to.have.property('code', code);
      expect(String(error)).to.not.include('sesame');
    });
  }
});
