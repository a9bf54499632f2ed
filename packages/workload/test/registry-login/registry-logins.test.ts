import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import {
  findRegistryLogin,
  listRegistryLogins,
  type RegistryLogin,
  rememberRegistryLogin,
} from '../../src/registry-login/registry-logins.ts';

const signal = new AbortController().signal;

function loginTo(address: string, id = 'one'): RegistryLogin {
  const [resource, issuer] = [address, 'https://sso.acme.example'];
  return {
    id,
    address,
    resource,
    issuer,
    clientId: 'cli',
    token: 'access_token',
    registration: undefined,
    scopes: ['mcp'],
    subject: 'ada',
  };
}

describe('registry logins', () => {
  let root = '';
  let folders: { readonly statuses: string };
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-logins-'));
    folders = { statuses: path.join(root, 'statuses') };
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });
  const remember = async (...logins: readonly RegistryLogin[]): Promise<void> => {
    for (const login of logins) await rememberRegistryLogin(login.address, login, folders, signal);
  };

  it('are stored once per address, and leave no file after the last is removed', async () => {
    await remember(loginTo('https://acme.example'), loginTo('https://other.example'));
    await remember(loginTo('https://acme.example', 'two'));
    expect((await listRegistryLogins(folders)).map(({ id }) => id)).to.deep.equal(['one', 'two']);
    expect((await stat(path.join(root, 'registry-logins.json'))).mode & 0o777).to.equal(0o600);
    for (const { address } of await listRegistryLogins(folders))
      await rememberRegistryLogin(address, undefined, folders, signal);
    expect(await readdir(root)).to.deep.equal([]);
  });

  it('with a file of 0 bytes cause an error that names the backup of the last change', async () => {
    const file = path.join(root, 'registry-logins.json');
    await remember(loginTo('https://acme.example'));
    const before = await readFile(file, 'utf8');
    await remember(loginTo('https://other.example'));
    expect(await readFile(`${file}.bak`, 'utf8')).to.equal(before);
    await writeFile(file, '');
    for (const use of [() => listRegistryLogins(folders), () => remember(loginTo('https://third.example'))]) {
      const fault = await caught(use);
      expect(fault).to.include({ code: 'ERR_STATE_DAMAGED' });
      expect(String(fault)).to.include(`it is empty; restore ${file}.bak`);
    }
    expect(await readFile(file, 'utf8')).to.equal('');
  });

  it('are all stored when several commands log in concurrently', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `https://r${at}.example`);
    await Promise.all(names.map((address) => remember(loginTo(address))));
    expect(new Set((await listRegistryLogins(folders)).map(({ address }) => address))).to.deep.equal(
      new Set(names),
    );
  });

  const places = [
    ['https://acme.example', 'near'],
    ['https://acme.example/registry/main', 'near'],
    ['https://acme.example/team', 'nearest'],
    ['https://acme.example/team/registry/main', 'nearest'],
    ['https://acme.example/teams', 'near'],
    ['https://acme.example:8443', undefined],
    ['http://acme.example', undefined],
    ['https://sub.acme.example', undefined],
    ['http://plain.example', undefined],
    ['http://127.0.0.1:8080/registry/main', 'local'],
  ] as const;
  for (const [address, expected] of places) {
    it(`return ${expected ?? 'none'} for ${address}`, async () => {
      await remember(
        loginTo('https://acme.example', 'near'),
        loginTo('https://acme.example/team', 'nearest'),
        loginTo('http://plain.example', 'plain'),
        loginTo('http://127.0.0.1:8080', 'local'),
      );
      expect((await findRegistryLogin(new URL(address), folders))?.id).to.equal(expected);
    });
  }

  it('with an invalid file cause ERR_STATE_DAMAGED; single invalid logins are ignored', async () => {
    const file = path.join(root, 'registry-logins.json');
    await writeFile(file, '{"logins": [');
    const error = await listRegistryLogins(folders).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'ERR_STATE_DAMAGED' });
    const items = [7, {}, { ...loginTo('no address') }, { ...loginTo('https://acme.example') }];
    await writeFile(file, JSON.stringify({ logins: items }));
    expect(await listRegistryLogins(folders)).to.deep.equal([loginTo('https://acme.example')]);
  });
});
