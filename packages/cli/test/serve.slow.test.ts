import { expect } from 'chai';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandOptions, RunningPortolan } from '../../../test/support/command-line.ts';
import manifest from '../package.json' with { type: 'json' };

const CONFIG = `
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [catalogue] }
auth: { mode: anonymous }
database: { url: "sqlite:./data/registry.db" }
server: { address: "127.0.0.1:0", internalAddress: "127.0.0.1:0", shutdownTimeout: 2s }
`;

const CATALOGUE = {
  version: '1.0.0',
  data: {
    servers: ['com.acme/tides', 'com.acme/winds'].map((name) => ({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name,
      description: `What ${name} knows.`,
      version: '1.0.0',
    })),
  },
};

/** A plugin whose `apply` does not return until the process gets a stop signal. */
const SLOW = `
export default {
  name: 'slow', apiVersion: 2,
  async apply({ logger }) { logger.info({}, 'applying'); await new Promise((resolve) => setTimeout(resolve, 1000)); },
};`;

/**
 * A plugin that ends the process when a page is requested. A timer calls it, so nothing catches the error.
 */
const LEAVER = `
export default {
  name: 'leaver', apiVersion: 2,
  apply({ hooks }) { hooks.accessDecided.tap('leaver', () => { setTimeout(process.exit, 1, 0); }); },
};`;

/** A source that never ends and ignores its signal. */
const STUCK = `
export default {
  name: 'stuck', apiVersion: 2,
  contributes: { sources: [{
    kind: 'stuck', claimsFrom: 'source', config: { type: 'object', properties: {} },
    create: (_config, { logger }) => ({
      async *readEntries() { logger.info({}, 'reading'); await new Promise((resolve) => setTimeout(resolve, 60_000)); },
    }),
  }] },
};`;

describe('portolan serve', function () {
  this.timeout(180_000); // each case starts a server

  let folder: string;
  let started: RunningPortolan[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-serve-'));
    started = [];
    await writeFile(path.join(folder, 'portolan.config.yaml'), CONFIG);
    await writeFile(path.join(folder, 'catalogue.json'), JSON.stringify(CATALOGUE));
  });
  afterEach(async () => {
    for (const one of started) one.kill('SIGKILL');
    await Promise.all(started.map((one) => one.finished));
    await rm(folder, { recursive: true, force: true });
  });
  const serve = (args: readonly string[] = [], options: CommandOptions = {}): RunningPortolan => {
    const running = new RunningPortolan(['serve', ...args], { cwd: folder, ...options });
    started.push(running);
    return running;
  };

  it('stops syncing a source after a process with another configuration has claimed it', async () => {
    const first = serve();
    await first.logged('source synced');
    const newer = path.join(folder, 'newer.config.yaml');
    await writeFile(newer, CONFIG.replace(/file: .* syncPolicy: \{ interval: 30m \}/, 'managed: {}'));
    const second = serve(['--config', newer]);
    await second.logged('listening');
    await writeFile(path.join(folder, 'catalogue.json'), '{"version": "1.0.0", "data": {"servers": []}}');
    const line = await first.logged(
      'source no longer synced here: the API or a process with another configuration changed its definition',
    );
    expect(line['source']).to.equal('catalogue');
  });

  it('serves the configured sources and prints its address', async () => {
    const running = serve();
    const { address, internalAddress, level } = await running.logged('listening');
    expect(level).to.equal('info');
    await running.logged('source synced');
    const list = await fetch(`http://${String(address)}/registry/main/v0.1/servers`);
    expect(await list.json()).to.have.nested.property('metadata.count', 2);
    for (const listener of [address, internalAddress]) {
      expect((await fetch(`http://${String(listener)}/readiness`)).status).to.equal(200);
    }
    const metrics = await (await fetch(`http://${String(internalAddress)}/metrics`)).text();
    expect(metrics).to.include('source="catalogue"');
    const version = await (await fetch(`http://${String(address)}/version`)).json();
    expect(version).to.include({ version: manifest.version });
    expect(await running.stop()).to.include({ status: 0, stdout: '' });
  });

  it('prefers flags to the environment, and that to the file', async () => {
    const running = serve(['--internal-address', 'off'], {
      env: { PORTOLAN_SERVER_INTERNALADDRESS: 'nonsense', PORTOLAN_SERVER_ADDRESS: '[::1]:0' },
    });
    const { address, internalAddress } = await running.logged('listening');
    expect(address).to.match(/^\[::1\]:\d+$/);
    expect(internalAddress).to.equal('off');
    await running.stop();
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`stops with status 0 on ${signal} and leaves nothing behind`, async () => {
      const running = serve();
      await running.logged('source synced');
      running.kill(signal);
      const { status, stdout, stderr } = await running.finished;
      expect({ status, stdout }).to.deep.equal({ status: 0, stdout: '' });
      expect(stderr).to.include('"msg":"stopped"');
      expect(await readdir(path.join(folder, 'data'))).to.deep.equal(['registry.db']);
    });
  }

  it('stops with status 0 on a signal during start-up', async () => {
    await writeFile(path.join(folder, 'slow.mjs'), SLOW);
    await writeFile(path.join(folder, 'portolan.config.yaml'), `plugins: [./slow.mjs]${CONFIG}`);
    const running = serve();
    await running.logged('applying');
    running.kill('SIGTERM');
    const { status, stderr } = await running.finished;
    expect(status).to.equal(0);
    expect(stderr).not.to.include('error').and.not.to.include('listening');
  });

  it('ends at once with status 143 on a second SIGTERM', async () => {
    await writeFile(path.join(folder, 'slow.mjs'), SLOW);
    await writeFile(path.join(folder, 'portolan.config.yaml'), `plugins: [./slow.mjs]${CONFIG}`);
    const running = serve();
    await running.logged('applying');
    running.kill('SIGTERM');
    running.kill('SIGINT');
    const { status } = await running.finished;
    expect(status).to.be.oneOf([143, 130]); // two pending signals are handled in any order
  });

  it('exits with status 1 when a plugin blocks the stop', async () => {
    await writeFile(path.join(folder, 'stuck.mjs'), STUCK);
    const config = `plugins: [./stuck.mjs]${CONFIG}`
      .replace('file: { path: ./catalogue.json }', 'stuck: {}')
      .replace('shutdownTimeout: 2s', 'shutdownTimeout: 1ms');
    await writeFile(path.join(folder, 'portolan.config.yaml'), config);
    const running = serve();
    await running.logged('reading');
    await running.logged('listening');
    const { status, stderr } = await running.stop();
    expect(status).to.equal(1);
    expect(stderr).to.include('error: not everything closed within 5.001 s');
  });

  it('reports an exit by a plugin as a failure', async () => {
    await writeFile(path.join(folder, 'leaver.mjs'), LEAVER);
    await writeFile(path.join(folder, 'portolan.config.yaml'), `plugins: [./leaver.mjs]${CONFIG}`);
    const running = serve();
    const { address } = await running.logged('listening');
    await fetch(`http://${String(address)}/registry`);
    const { status, stderr } = await running.finished;
    expect(status).to.equal(2);
    expect(stderr).to.include(
      'error: Code of a plugin or of the configuration called process.exit with status 0',
    );
  });

  const WARNING = 'Authorization not configured, per-entry claims filtering disabled (auth-only mode)';

  const GATE = `
    export default { name: 'gate', apiVersion: 2, contributes: { authProviders: [{
      kind: 'gate', hosts: ['registry-server'], identifies: true, config: { type: 'object' },
      create: () => ({
        verify: (ctx, next) => { if (ctx.get('authorization') === 'Bearer x') return next(); ctx.throw(401, 'No.'); },
        identify: () => ({ subject: 'ada', claims: { org: 'acme' } }),
      }),
    }] } };`;

  it('warns once when every authenticated caller may do everything', async () => {
    await writeFile(path.join(folder, 'gate.mjs'), GATE);
    await writeFile(
      path.join(folder, 'portolan.config.yaml'),
      `plugins: [./gate.mjs]${CONFIG.replace('mode: anonymous', 'mode: gate')}`,
    );
    const running = serve();
    await running.logged('listening');
    expect(running.log.filter(({ msg }) => msg === WARNING)).to.have.length(1);
    await running.stop();
  });

  it('does not warn in anonymous mode', async () => {
    const running = serve();
    await running.logged('listening');
    expect(running.log.filter(({ msg }) => msg === WARNING)).to.have.length(0);
    await running.stop();
  });

  it('SIGHUP › does not end a start-up before the command is loaded', async () => {
    const early = path.join(folder, 'early.mjs');
    // A hook on the first module of the command line, when no code of the command has run yet.
    await writeFile(
      early,
      `import module from 'node:module';
      module.registerHooks({ resolve: (specifier, context, next) => {
        if (/command-line[/]main[.]ts$|dist[/]main[.]js$/.test(specifier)) process.kill(process.pid, 'SIGHUP');
        return next(specifier, context);
      } });`,
    );
    const running = serve([], { env: { NODE_OPTIONS: `--import=${early}` } });
    await running.logged('listening');
    expect(await running.stop()).to.include({ status: 0 });
  });

  it('SIGHUP › reloads auth, unless the configuration is invalid', async () => {
    await writeFile(path.join(folder, 'gate.mjs'), GATE);
    const configuration = (auth: string): string =>
      `plugins: [./gate.mjs]${CONFIG.replace('auth: { mode: anonymous }', `auth: ${auth}`)}`;
    const write = async (auth: string): Promise<void> =>
      await writeFile(path.join(folder, 'portolan.config.yaml'), configuration(auth));
    await write('{ mode: anonymous }');
    const running = serve();
    const { address } = await running.logged('listening');
    const rolesOf = async (): Promise<unknown> => {
      const me = await fetch(`http://${String(address)}/v1/me`, { headers: { authorization: 'Bearer x' } });
      return me.status === 200 ? Reflect.get(Object(await me.json()), 'roles') : me.status;
    };
    expect(await rolesOf()).to.equal(401);

    await write('{ mode: gate, authz: { roles: { manageEntries: [{ org: acme }] } } }');
    running.kill('SIGHUP');
    expect(await running.logged('applied auth of the configuration')).to.include({ mode: 'gate' });
    expect(await rolesOf()).to.deep.equal(['manageEntries']);

    await write('{ mode: gate, authz: { roles: { superadmin: [{ org: acme }] } } }');
    running.kill('SIGHUP');
    const failed = await running.logged('the configuration was not applied; everything stays unchanged');
    expect(JSON.stringify(failed)).to.include('auth.authz.roles.superadmin');
    expect(await rolesOf()).to.deep.equal(['manageEntries']);
    expect(await running.stop()).to.include({ status: 0 });
  });

  it('stores and syncs sources of the HTTP API, and reads only allowed files and addresses', async () => {
    await writeFile(
      path.join(folder, 'portolan.config.yaml'),
      `${CONFIG}apiSources: { allowedDirectories: [shared] }`,
    );
    await mkdir(path.join(folder, 'shared'));
    await writeFile(path.join(folder, 'shared/more.json'), JSON.stringify(CATALOGUE));
    const put = async (base: unknown, name: string, body: object): Promise<Response> =>
      await fetch(`http://${String(base)}/v1/sources/${name}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const syncPolicy = { interval: '1h' };
    const first = serve();
    const { address } = await first.logged('listening');
    const made = await put(address, 'more', { file: { path: 'shared/more.json' }, syncPolicy });
    expect(made.status, await made.text()).to.equal(201);
    const refused = await put(address, 'config', { file: { path: 'portolan.config.yaml' }, syncPolicy });
    expect(refused.status).to.equal(400);
    expect(await refused.text())
      .to.include('ERR_SOURCE_INVALID')
      .and.to.include('file.path');
    expect((await put(address, 'inbox', { managed: {} })).status).to.equal(201);
    await first.stop();

    // The next start reads it at once, from the database.
    const second = serve();
    const { address: again } = await second.logged('listening');
    let status: unknown;
    while (status !== 'complete') {
      const source = await (await fetch(`http://${String(again)}/v1/sources/more`)).json();
      status = Reflect.get(Object(Reflect.get(Object(source), 'syncStatus')), 'phase');
    }
    await second.stop();
  });

  describe('with an occupied address', () => {
    let other: Server;
    let taken: string;
    beforeEach(async () => {
      other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const bound = other.address();
      taken = `127.0.0.1:${typeof bound === 'object' ? bound?.port : undefined}`;
    });
    afterEach(() => {
      other.close();
    });

    for (const flag of ['--address', '--internal-address']) {
      it(`exits with status 1 for ${flag}, names the address, and leaves nothing behind`, async () => {
        const { status, stdout, stderr } = await serve([flag, taken]).finished;
        expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
        expect(stderr)
          .to.match(/^error: .*is in use/m)
          .and.to.include(taken);
        expect(await readdir(path.join(folder, 'data'))).to.deep.equal(['registry.db']);
      });
    }
  });

  it('exits with status 1 when the database is down', async () => {
    const { status, stderr } = await serve([], {
      env: { PORTOLAN_DATABASE_URL: 'postgres://portolan@127.0.0.1:1/registry?sslmode=disable' },
    }).finished;
    expect(status).to.equal(1);
    expect(stderr).to.match(/^error: The database 127\.0\.0\.1:1\/registry does not respond/m);
  });

  it('exits with status 1 when the database belongs to another program, and does not change it', async () => {
    await writeFile(path.join(folder, 'other.db'), 'a diary, not a database');
    const { status, stderr } = await serve([], { env: { PORTOLAN_DATABASE_URL: 'sqlite:./other.db' } })
      .finished;
    expect(status).to.equal(1);
    expect(stderr).to.match(/^error: .*other\.db is not a Portolan database/m);
    expect(await readFile(path.join(folder, 'other.db'), 'utf8')).to.equal('a diary, not a database');
  });

  it('refuses to start with pending migrations when it may not apply them', async () => {
    const { status, stderr } = await serve([], { env: { PORTOLAN_DATABASE_MIGRATEONSTART: 'false' } })
      .finished;
    expect(status).to.equal(1);
    expect(stderr)
      .to.include('error: The database lacks migrations: 0001-tables')
      .and.to.include('portolan migrate up');
  });
});
