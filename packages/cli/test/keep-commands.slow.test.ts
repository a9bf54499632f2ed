import { expect } from 'chai';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { giveSecretStore } from '../../../test/support/own-secrets.ts';
import { runAtHome } from './support/run-at-home.ts';

let home = '';

const portolan = (
  words: readonly string[],
  options?: Parameters<typeof runAtHome>[2],
): ReturnType<typeof runAtHome> => runAtHome(home, words, options);

describe('portolan secret, config, client and group', function () {
  this.timeout(180_000);

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'portolan-keep-'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  it('secret › explains the set-up when there is no secret store', async () => {
    const listed = await portolan(['secret', 'list']);
    expect(listed.status).to.equal(2);
    expect(listed.stderr).to.include('secrets provider not configured').and.include('portolan secret setup');
    const asked = await portolan(['secret', 'setup']);
    expect(asked.status).to.equal(2);
    expect(asked.stderr)
      .to.include('use `portolan secret provider` with one of encrypted, environment, 1password')
      .and.not.include('--help');
  });

  it('secret set › stores a piped value, which get, list and delete find', async () => {
    expect((await portolan(['secret', 'provider', 'encrypted'])).status).to.equal(0);
    expect((await portolan(['secret', 'provider'])).stdout).to.equal('encrypted\n');
    const set = await portolan(['secret', 'set', 'weather-key'], { stdin: '100% sure\n\n' });
    expect({ status: set.status, stdout: set.stdout }).to.deep.equal({ status: 0, stdout: '' });
    expect((await portolan(['secret', 'get', 'weather-key'])).stdout).to.equal('100% sure\n\n');
    const listed = await portolan(['secret', 'list', '--format', 'json']);
    expect(JSON.parse(listed.stdout)).to.deep.equal([{ name: 'weather-key' }]);
    expect((await portolan(['secret', 'delete', 'weather-key'])).status).to.equal(0);
    const again = await portolan(['secret', 'delete', 'weather-key']);
    expect(again.status).to.equal(1);
    expect(again.stderr).to.include('portolan secret list').and.not.include('portolan secret set');
    expect((await portolan(['secret', 'list'])).stdout).to.equal('No secrets found\n');
    const file = path.join(home, 'data/portolan/secrets/encrypted');
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  const refused = [
    { title: 'an empty value', words: ['secret', 'set', 'a'], stdin: '\n', status: 2 },
    { title: 'a name with a comma', words: ['secret', 'set', 'a,b'], stdin: 'topsecret', status: 2 },
    {
      title: 'a reserved name',
      words: ['secret', 'set', '__portolan_auth_x'],
      stdin: 'topsecret',
      status: 2,
    },
    {
      title: 'another password',
      words: ['secret', 'set', 'a'],
      stdin: 'topsecret',
      status: 1,
      env: { PORTOLAN_SECRETS_PASSWORD: 'no' },
    },
  ];
  for (const { title, words, stdin, status, env = {} } of refused) {
    it(`secret set › rejects ${title}, and shows no value`, async () => {
      await giveSecretStore(home, 'correct horse');
      const ended = await portolan(words, { stdin, env });
      expect(ended.status).to.equal(status);
      expect(ended.stdout + ended.stderr)
        .to.not.include('topsecret')
        .and.not.include('correct horse');
    });
  }

  it('secret get › reads the environment without a set-up with PORTOLAN_SECRETS_PROVIDER', async () => {
    const env = { PORTOLAN_SECRETS_PROVIDER: 'environment', PORTOLAN_SECRET_key: 'v' };
    expect((await portolan(['secret', 'get', 'key'], { env })).stdout).to.equal('v\n');
    const set = await portolan(['secret', 'set', 'key'], { env, stdin: 'x' });
    expect(set.status).to.equal(2);
    expect(set.stderr).to.include('cannot set secrets');
  });

  it('config › sets, prints, lists and unsets values, and keeps the rest of the file', async () => {
    const file = path.join(home, 'config/portolan/config.yaml');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '# mine\nother: { a: 1 }\n');
    expect((await portolan(['config', 'set', 'build.allow_host', 'a.example', 'b.example'])).status).to.equal(
      0,
    );
    expect((await portolan(['config', 'get', 'build.allow_host'])).stdout).to.equal('a.example\nb.example\n');
    expect(JSON.parse((await portolan(['config', 'list', '--format', 'json'])).stdout)).to.deep.equal({
      'build.allow_host': ['a.example', 'b.example'],
    });
    expect(await readFile(file, 'utf8')).to.match(/^# mine\nother: \{ a: 1 \}\nbuild:\n/);
    expect((await portolan(['config', 'unset', 'build.allow_host'])).status).to.equal(0);
    expect(await readFile(file, 'utf8')).to.equal('# mine\nother: { a: 1 }\n');
    expect((await portolan(['config', 'get', 'build.allow_host'])).status).to.equal(1);
    expect((await portolan(['config', 'set', 'nope', '1'])).status).to.equal(2);
  });

  it('config set-registry › accepts a readable catalogue, and rejects an unreadable one', async () => {
    const catalogue = path.join(home, 'catalogue.json');
    await writeFile(catalogue, '{"data":{"servers":[]}}');
    expect((await portolan(['config', 'get-registry'])).stdout).to.equal('No registry is set\n');
    const set = await portolan(['config', 'set-registry', './catalogue.json']);
    expect(set.status, set.stderr).to.equal(0);
    expect((await portolan(['config', 'get-registry'])).stdout).to.equal(`${catalogue}\n`);
    expect((await portolan(['config', 'set-registry', './none.json'])).status).to.equal(2);
    expect((await portolan(['config', 'get-registry'])).stdout).to.equal(`${catalogue}\n`);
    await portolan(['config', 'unset-registry']);
    expect((await portolan(['config', 'get-registry'])).stdout).to.equal('No registry is set\n');
  });

  it('rejects a missing file of --config with status 2', async () => {
    const { status, stderr } = await portolan(['list', '--config', path.join(home, 'gone.yaml')]);
    expect(status).to.equal(2);
    expect(stderr).to.include('gone.yaml');
  });

  it('rejects a damaged config.yaml with its lines and status 2', async () => {
    const file = path.join(home, 'config/portolan/config.yaml');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, 'gateway:\n  image: [1]\nregistry_url: 7\n');
    const ended = await portolan(['config', 'list']);
    expect(ended.status).to.equal(2);
    expect(ended.stderr).to.include('line 2: gateway.image').and.include('line 3: registry_url');
  });

  for (const words of [['list'], ['status', 'x'], ['logs', 'x'], ['inspect', 'x'], ['stop', 'x']]) {
    it(`warns about a damaged config.yaml in ${words.join(' ')}`, async () => {
      const file = path.join(home, 'config/portolan/config.yaml');
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, 'gateway:\n  image: [1]\n');
      const { status, stderr } = await portolan(words);
      expect(stderr).to.match(/^warning: .*config\.yaml is invalid: line 2: gateway\.image/);
      expect(status).to.equal(words[0] === 'list' ? 0 : 1);
    });
  }

  for (const HOME of ['', 'relative']) {
    it(`client › writes no client files into the working directory with HOME=${HOME}`, async () => {
      const listed = await portolan(['client', 'list', '--format', 'json'], { env: { HOME } });
      const files = JSON.parse(listed.stdout).map((client: { readonly file: string }) => client.file);
      expect(files).to.satisfy(
        (all: string[]) => all.length > 20 && all.every((one) => path.isAbsolute(one)),
      );
    });
  }

  it('group › creates, lists and removes groups', async () => {
    expect((await portolan(['group', 'create', 'team a'])).status).to.equal(0);
    expect((await portolan(['group', 'create', 'team a'])).status).to.equal(1);
    const listed = await portolan(['group', 'list', '--format', 'json']);
    expect(JSON.parse(listed.stdout)).to.deep.equal([
      { name: 'default', registered_clients: [], workloads: [] },
      { name: 'team a', registered_clients: [], workloads: [] },
    ]);
    expect((await portolan(['group', 'rm', 'default'])).status).to.equal(2);
    expect((await portolan(['group', 'rm', 'team a'])).status).to.equal(0);
    expect((await portolan(['group', 'rm', 'team a'])).status).to.equal(2);
  });

  it('client › registers, lists and removes clients', async () => {
    await mkdir(path.join(home, '.cursor'));
    const asked = await portolan(['client', 'setup']);
    expect(asked.status).to.equal(2);
    expect(asked.stderr).to.include('portolan client setup cursor').and.not.include('--help');
    expect((await portolan(['client', 'setup', 'cursor', 'emacs'])).status).to.equal(2);
    expect((await portolan(['client', 'list-registered'])).stdout).to.equal('No clients are registered\n');
    expect((await portolan(['client', 'setup', 'cursor', 'codex'])).status).to.equal(0);
    // N11: register and remove accept the clients that setup accepts.
    expect((await portolan(['client', 'remove', 'cursor', 'emacs'])).status).to.equal(2);
    expect((await portolan(['client', 'remove', 'cursor', 'codex'])).status).to.equal(0);
    expect((await portolan(['client', 'list-registered'])).stdout).to.equal('No clients are registered\n');
    expect((await portolan(['client', 'register', 'cursor', 'codex'])).status).to.equal(0);
    expect((await portolan(['client', 'list-registered'])).stdout).to.match(
      /codex +default\ncursor +default\n|cursor +default\ncodex/,
    );
    // One of these is an array of objects with the fields of a client.
    const clients = JSON.parse((await portolan(['client', 'status', '--format', 'json'])).stdout) as {
      readonly client: string;
      readonly installed: boolean;
    }[];
    expect(clients.find(({ client }) => client === 'cursor')?.installed).to.equal(true);
    expect((await portolan(['client', 'remove', 'cursor'])).status).to.equal(0);
    expect((await portolan(['client', 'register', 'cursor', '--group', 'none'])).status).to.equal(2);
  });

  it('secret provider 1password › runs the program op', async () => {
    const program = path.join(home, 'op');
    const stand = path.resolve(
      import.meta.dirname,
      '../../../plugins/secret-store-onepassword/test/support/fake-op.mjs',
    );
    await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${stand}" "$@"\n`);
    await chmod(program, 0o755);
    const env = { PATH: `${home}:${process.env['PATH'] ?? ''}`, OP_SERVICE_ACCOUNT_TOKEN: 'ops_x' };
    const chosen = await portolan(['secret', 'provider', '1password'], { env });
    expect(chosen.status, chosen.stderr).to.equal(0);
    expect((await portolan(['secret', 'list'], { env })).stdout).to.equal(
      'op://Team/Weather/key [Team :: Weather :: key]\n',
    );
    expect((await portolan(['secret', 'get', 'op://Team/Weather/key'], { env })).stdout).to.equal(
      'sunny\n\n',
    );
    expect((await portolan(['secret', 'get', 'key'], { env })).status).to.equal(2);
  });
});
