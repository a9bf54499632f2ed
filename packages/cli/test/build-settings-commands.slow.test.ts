import { expect } from 'chai';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Finished } from '../../../test/support/command-line.ts';
import { runAtHome } from './support/run-at-home.ts';

const CONTENT = 'machine npm.acme.example\nlogin me\npassword t0psecret\n';
let home = '';

async function portolan(words: string, stdin?: string): Promise<Finished> {
  return await runAtHome(home, words.split(' '), stdin === undefined ? {} : { stdin });
}

const configuration = async (): Promise<string> =>
  await readFile(path.join(home, 'config/portolan/config.yaml'), 'utf8');

describe('portolan config, settings of package builds', function () {
  this.timeout(180_000);

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'portolan-build-'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  it('set-build-env › stores each variable in one source, the last one', async () => {
    await portolan('secret provider encrypted');
    const kept = await portolan('config set-build-env GOPROXY https://go.acme.example');
    expect(kept, kept.stderr).to.include({ status: 0, stdout: '' });
    expect((await portolan('config get-build-env GOPROXY')).stdout).to.equal('https://go.acme.example\n');
    expect((await portolan('config set-build-env GOPROXY --from-secret proxy')).status).to.equal(0);
    expect((await portolan('config set-build-env NPM_TOKEN --from-env')).status).to.equal(0);
    expect((await portolan('config set-build-env GOFLAGS -- -mod=mod')).status).to.equal(0);
    const listed = await portolan('config get-build-env --format json');
    expect(JSON.parse(listed.stdout)).to.deep.equal([
      { name: 'GOFLAGS', from: 'value', value: '-mod=mod' },
      { name: 'GOPROXY', from: 'secret', secret: 'proxy' },
      { name: 'NPM_TOKEN', from: 'shell' },
    ]);
    expect((await portolan('config get-build-env GOPROXY')).stdout).to.equal('secret proxy\n');
    await portolan('config set-build-env NPM_TOKEN plain');
    expect(await configuration()).to.not.include('build_env_from_shell');
    expect((await portolan('config unset-build-env GOPROXY')).status).to.equal(0);
    expect((await portolan('config get-build-env GOPROXY')).status).to.equal(1);
    expect((await portolan('config unset-build-env --all')).status).to.equal(0);
    expect((await portolan('config get-build-env')).stdout).to.equal('No variables are set\n');
  });

  it('set-build-env › stores an address with a login, with a warning', async () => {
    const kept = await portolan(
      'config set-build-env UV_INDEX_URL https://me:t0psecret@py.acme.example/simple',
    );
    expect(kept.status).to.equal(0);
    expect(kept.stderr).to.include('--from-secret').and.not.include('t0psecret');
  });

  const refused = [
    { words: 'set-build-env NPM_TOKEN', says: 'expected one of' },
    { words: 'set-build-env NPM_TOKEN a --from-env', says: 'expected one of' },
    { words: 'set-build-env NPM_TOKEN --from-env --from-secret a', says: 'expected one of' },
    { words: 'set-build-env PATH /t0psecret', says: 'a name in capitals' },
    { words: 'set-build-env npm_token t0psecret', says: 'a name in capitals' },
    { words: 'set-build-env HTTPS_PROXY http://t0psecret', says: 'another name' },
    { words: 'set-build-env TOKEN $(t0psecret)', says: 'a text that no shell would read' },
    { words: 'set-build-env TOKEN --from-secret a', says: 'secrets provider not configured' },
    { words: 'unset-build-env', says: 'expected either KEY or --all' },
    { words: 'unset-build-env A --all', says: 'expected either KEY or --all' },
    {
      words: 'set-build-auth-file npmrc //x/:_authToken=t0psecret t0psecret',
      says: 'expected --stdin or --file',
    },
    { words: 'set-build-auth-file npmrc', says: 'expected either --stdin or --file' },
    { words: 'set-build-auth-file npmrc --stdin', says: 'secrets provider not configured' },
    { words: 'set-build-auth-file pypirc --stdin', says: 'npmrc' },
    { words: 'get-build-auth-file --show-content', says: '--show-content needs' },
    { words: 'unset-build-auth-file', says: 'expected either NAME or --all' },
  ];
  for (const { words, says } of refused) {
    it(`${words} is rejected without showing the value`, async () => {
      const ended = await portolan(`config ${words}`, CONTENT);
      expect(ended.status, ended.stderr).to.equal(2);
      expect(ended.stderr).to.include(says).and.not.include('t0psecret');
      expect(await readdir(home)).to.not.include('config');
    });
  }

  it('set-build-auth-file › stores a credentials file in the secret store only', async () => {
    await portolan('secret provider encrypted');
    const kept = await portolan('config set-build-auth-file netrc --stdin', CONTENT);
    expect(kept, kept.stderr).to.include({ status: 0, stdout: '' });
    expect(await configuration()).to.include('build_auth_files:\n  netrc: BUILD_AUTH_FILE_netrc\n');
    expect(await configuration()).to.not.include('t0psecret');
    expect((await portolan('config get-build-auth-file')).stdout).to.equal('netrc\n');
    expect((await portolan('config get-build-auth-file netrc --show-content')).stdout).to.equal(CONTENT);
    expect((await portolan('secret list')).stdout).to.equal('No secrets found\n');
    await writeFile(path.join(home, 'other'), 'machine a\n');
    expect((await portolan('config set-build-auth-file netrc --file other')).status).to.equal(0);
    expect((await portolan('config get-build-auth-file netrc --show-content')).stdout).to.equal(
      'machine a\n',
    );
    expect((await portolan('config set-build-auth-file netrc --file none')).status).to.equal(2);
    expect((await portolan('config set-build-auth-file yarnrc --stdin', ' \n')).status).to.equal(2);
    expect((await portolan('config get-build-auth-file yarnrc')).status).to.equal(1);
    expect((await portolan('config unset-build-auth-file --all')).status).to.equal(0);
    expect((await portolan('config get-build-auth-file')).stdout).to.equal('No files are set\n');
    expect((await portolan('secret list --system')).stdout).to.equal('No secrets found\n');
  });
});
