import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRecordingLogger, createTestContext, eventually } from '@portolan/plugin-testing';
import { findServer } from '@portolan/registry-client/lookup';
import { directoriesOf } from '@portolan/workload';
import { lookupContextOf } from '@portolan/workload/lookup';
import { readUserSettings } from '@portolan/run-spec';
import { testWorkloadContext } from '../../../packages/workload/test/support/test-workload-context.ts';
import { expect } from 'chai';
import { type Finished, RunningPortolan, runPortolan } from '../../support/command-line.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/anonymous-file-registry');

describe('registry commands with a real registry server', function () {
  this.timeout(180_000); // The cases start the command line.

  let folder = '';
  let url = '';
  let server: RunningPortolan;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-registry-'));
    await cp(EXAMPLE, path.join(folder, 'example'), { recursive: true });
    const args = [
      'serve',
      '--config',
      'portolan.config.yaml',
      '--address',
      '127.0.0.1:0',
      '--internal-address',
      'off',
    ];
    server = new RunningPortolan(args, { cwd: path.join(folder, 'example') });
    url = `http://${String((await server.logged('listening'))['address'])}/registry/main`;
    await eventually(async () => {
      const response = await fetch(`${url}/v0.1/servers/dev.acme%2Fweather/versions/latest`);
      expect(response.status).to.equal(200);
    });
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Returns the environment of a new user with these settings. */
  async function userWith(name: string, settings: object): Promise<Readonly<Record<string, string>>> {
    const home = path.join(folder, name);
    await mkdir(path.join(home, 'config/portolan'), { recursive: true });
    await writeFile(path.join(home, 'config/portolan/config.yaml'), JSON.stringify(settings));
    return {
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, 'config'),
      XDG_STATE_HOME: path.join(home, 'state'),
      XDG_DATA_HOME: path.join(home, 'data'),
      XDG_RUNTIME_DIR: path.join(home, 'run'),
    };
  }

  const settings = (): object => ({ registry_api_url: url, allow_private_registry_ip: true });

  async function ask(user: string, given: object, ...args: readonly string[]): Promise<Finished> {
    return await runPortolan(args, { cwd: folder, env: await userWith(user, given) });
  }

  it('search, list and show entries of the server', async () => {
    const list = await ask('reader', settings(), 'registry', 'list', '--format', 'json');
    expect(list.stderr).to.equal('');
    const servers = JSON.parse(list.stdout) as readonly { readonly name: string }[];
    expect(servers.map(({ name }) => name)).to.include('dev.acme/weather');

    const found = await ask('reader', settings(), 'search', 'weather');
    expect(found.stdout).to.match(/^NAME +TYPE +DESCRIPTION +TRANSPORT\n/);
    expect(found.stdout).to.contain('dev.acme/weather');

    const info = await ask('reader', settings(), 'registry', 'info', 'weather', '--format', 'json');
    expect(JSON.parse(info.stdout)).to.include({
      name: 'dev.acme/weather',
      title: 'Weather (pinned)',
      registry: url,
    });
    const text = await ask('reader', settings(), 'registry', 'info', 'dev.acme/weather');
    expect(text.stdout).to.match(/^Name: +dev\.acme\/weather\n/);
  });

  it('print an empty JSON list and an error code when nothing matches', async () => {
    const found = await ask('reader', settings(), 'search', 'no such text', '--format', 'json');
    expect(found).to.include({ status: 0, stdout: '[]\n' });
    expect(await ask('reader', settings(), 'registry', 'info', 'dev.acme/gone')).to.include({
      status: 1,
      stdout: '',
    });
  });

  it('read the catalogue file of the example', async () => {
    const file = path.join(folder, 'example/catalogue.json');
    const list = await ask('local', { local_registry_path: file }, 'registry', 'list', '--format', 'json');
    expect((JSON.parse(list.stdout) as readonly unknown[]).length).to.be.above(1);
  });

  it('exit with status 2 for wrong settings, and 1 for a failing registry', async () => {
    const cases: readonly [settings: object, status: number, message: string][] = [
      [{}, 2, 'No registry is configured'],
      [{ registry_api_url: url }, 2, 'could be changed on its way'],
      [{ registry_api_url: url.replace('http:', 'https:') }, 2, 'private IP address'],
      [{ local_registry_path: path.join(folder, 'gone.json') }, 2, 'gone.json'],
      [{ registry_api_url: `${url}-gone`, allow_private_registry_ip: true }, 1, 'status 404'],
      [
        { registry_api_url: 'http://127.0.0.1:9999', allow_private_registry_ip: true },
        1,
        'nothing listens there',
      ],
    ];
    for (const [given, status, message] of cases) {
      const ended = await ask('faulty', given, 'search', 'weather');
      expect({ status: ended.status, stdout: ended.stdout }, message).to.deep.equal({ status, stdout: '' });
      expect(ended.stderr).to.contain(message);
    }
  });

  it('convert a legacy catalogue', async () => {
    const file = path.join(folder, 'legacy.json');
    await writeFile(file, JSON.stringify({ servers: { fetch: { image: 'ghcr.io/acme/fetch:1' } } }));
    const printed = await ask('converter', {}, 'registry', 'convert', '--in', file);
    expect(JSON.parse(printed.stdout)).to.have.nested.property(
      'data.servers[0].name',
      'io.github.stacklok/fetch',
    );
    expect(await ask('converter', {}, 'registry', 'convert', '--in', file, '--in-place')).to.include({
      status: 0,
      stdout: '',
    });
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal(
      Object.assign(JSON.parse(printed.stdout) as object, {
        meta: JSON.parse(await readFile(file, 'utf8')).meta,
      }),
    );
    const upstream = await readFile(file, 'utf8');
    const again = await ask('converter', {}, 'registry', 'convert', '--in', file, '--in-place');
    expect(again).to.include({ status: 0, stdout: '' });
    expect(again.stderr).to.include('is in the upstream format already');
    expect(await readFile(file, 'utf8')).to.equal(upstream);
    expect(await ask('converter', {}, 'registry', 'convert', '--in-place')).to.include({ status: 2 });
  });

  it('convert standard input, and pass the upstream format through', async () => {
    const convert = async (stdin: string): Promise<Finished> =>
      await runPortolan(['registry', 'convert'], { cwd: folder, env: await userWith('piper', {}), stdin });
    const converted = await convert(
      JSON.stringify({ servers: { fetch: { image: 'ghcr.io/acme/fetch:1' } } }),
    );
    expect(converted).to.include({ status: 0, stderr: '' });
    expect(converted.stdout).to.include('io.github.stacklok/fetch');
    const again = await convert(converted.stdout);
    expect(again).to.include({ status: 0, stdout: converted.stdout });
    expect(again.stderr).to.include('standard input is in the upstream format already');
  });

  it('store the login settings of a registry, and remove them with it', async () => {
    const env = await userWith('login', {});
    const run = async (...args: readonly string[]): Promise<Finished> =>
      await runPortolan(args, { cwd: folder, env });
    const set = ['config', 'set-registry', url, '--allow-private-ip'];
    const login = {
      issuer: 'https://sso.acme.example',
      client_id: 'cli',
      audience: 'registry',
      scopes: ['a', 'b'],
    };
    const said = [
      '--issuer',
      login.issuer,
      '--client-id',
      'cli',
      '--audience',
      'registry',
      '--scopes',
      'a,b',
    ];
    expect(await run(...set, ...said)).to.include({ status: 0 });
    const kept = await run('config', 'get-registry', '--format', 'json');
    expect(JSON.parse(kept.stdout)).to.have.deep.property('login', login);
    expect(await run(...set, '--issuer', 'sso')).to.include({ status: 2 });
    expect(await run(...set)).to.include({ status: 0 });
    const forgotten = await run('config', 'get-registry', '--format', 'json');
    expect(JSON.parse(forgotten.stdout)).to.have.property('login', null);
    // This registry requires no login.
    const { status, stderr } = await run('registry', 'login');
    expect({ status, stderr }).to.have.property('status').that.is.greaterThan(0);
    expect(stderr).to.match(/needs no login|requires none/);
  });

  it('find entries like run does', async () => {
    const context = lookupContextOf({
      directories: directoriesOf({
        platform: 'linux',
        environment: {},
        home: path.join(folder, 'finder'),
        temporary: folder,
        userId: 1000,
      }),
      environment: {},
      kinds: testWorkloadContext(folder).kinds,
      user: readUserSettings(settings(), 'config.yaml'),
      clock: () => new Date(),
      logger: createRecordingLogger(),
      openFetch: createTestContext().openFetch,
      version: '0.1.0',
      workingDirectory: folder,
    });
    for (const name of ['dev.acme/weather', 'weather']) {
      const found = await findServer(name, context);
      expect(found, name).to.deep.include({ isFound: true, name: 'dev.acme/weather', registry: url });
    }
    expect(await findServer('dev.acme/gone', context)).to.deep.equal({ isFound: false, registry: url });
  });
});
