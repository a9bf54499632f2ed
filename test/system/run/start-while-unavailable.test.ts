import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { skipTest } from '../../support/skip-suite.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';
import { ResumableBackend } from '../sessions/support/resumable-backend.ts';
import { openSession } from '../supervise/support/mini-servers.ts';

const ADDRESS = /^ {2}(https?:\S+)$/m;
const SOON = { withinMs: 60_000 };

describe('start of a remote workload while a dependency is unavailable', function () {
  this.timeout(240_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-away-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = {
      ...foldersBelow(root),
      PORTOLAN_SECRETS_PASSWORD: 'correct horse',
      PORTOLAN_TOKEN_REFRESH_INITIAL_RETRY_INTERVAL: '2s',
      PORTOLAN_TOKEN_REFRESH_MAX_RETRY_INTERVAL: '2s',
    };
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  async function statusNow(): Promise<Readonly<Record<string, unknown>>> {
    // SAFETY: the command prints a JSON object.
    return JSON.parse((await portolan('status', 'notes', '--format=json')).stdout) as Record<string, unknown>;
  }

  it('shows the status `auth_retrying` and names the authorization server, and recovers', async () => {
    const world = await OauthWorld.open();
    try {
      await portolan('secret', 'provider', 'encrypted');
      const flags = ['--name=notes', '--remote-auth', '--remote-auth-skip-browser'];
      const running = new RunningPortolan(
        ['run', world.remote, ...flags, '--remote-auth-scopes=mcp.read,offline_access'],
        {
          cwd: root,
          env: environment,
        },
      );
      const [, address = ''] = await running.told(ADDRESS);
      await world.visit(address);
      const first = await running.finished;
      expect(first.status, first.stderr).to.equal(0);
      await portolan('stop', 'notes');
      await world.stopAuthorization();
      const begun = performance.now();
      const started = await portolan('start', 'notes');
      expect(started.status, started.stderr).to.equal(0);
      expect(performance.now() - begun).to.be.below(45_000);
      const server = new URL(world.issuer).host;
      expect(started.stderr).to.contain(server).and.not.to.contain('--transport');
      const status = await statusNow();
      expect(status).to.include({ status: 'auth_retrying' });
      expect(status['status_context']).to.contain(server);
      await world.returnAuthorization();
      await eventually(async () => expect(await statusNow()).to.include({ status: 'running' }), SOON);
    } finally {
      await world.close();
    }
  });

  it('shows the status `waiting` and names Redis, and recovers without a request', async function () {
    const program = await findRedis();
    if (program === undefined) skipTest(this, 'needs redis-server');
    const redis = await RedisServer.start(program);
    const backend = await ResumableBackend.start();
    try {
      await redis.kill();
      const remote = new URL('/mcp', backend.http.url).href;
      const flags = ['--name=notes', '--transport=streamable-http', `--session-store=${redis.address.href}`];
      const started = await portolan('run', ...flags, remote);
      expect(started.status, started.stderr).to.equal(0);
      expect(started.stderr).to.contain(redis.address.host).and.not.to.contain('--transport');
      expect(await statusNow()).to.include({ status: 'waiting' });
      await redis.restart();
      await eventually(async () => expect(await statusNow()).to.include({ status: 'running' }), SOON);
      await openSession(started.stdout.trim());
      await redis.kill();
      await openSession(started.stdout.trim()).catch(() => undefined); // 503
      await eventually(async () => expect(await statusNow()).to.include({ status: 'waiting' }), SOON);
      await redis.restart();
      await eventually(async () => expect(await statusNow()).to.include({ status: 'running' }), SOON);
    } finally {
      await backend.http.close();
      await redis.stop();
    }
  });

  it('succeeds by `service run` at boot before the network is up', async () => {
    const backend = await ResumableBackend.start();
    const port = Number(new URL(backend.http.url).port);
    const remote = new URL('/mcp', backend.http.url).href;
    const run = await portolan('run', '--name=notes', '--transport=streamable-http', remote);
    expect(run.status, run.stderr).to.equal(0);
    const note = await readFile(path.join(root, 'data/portolan/statuses/notes.supervisor'), 'utf8');
    // SAFETY: a file of Portolan. Without the field, nothing is killed and the test fails.
    process.kill((JSON.parse(note) as { readonly pid: number }).pid, 'SIGKILL');
    await backend.http.close();
    const booted = await portolan('service', 'run', '--start-timeout=5s');
    expect(booted.status, booted.stdout + booted.stderr).to.equal(0);
    const status = await statusNow();
    expect(status).to.include({ status: 'waiting' });
    expect(status['status_context']).to.contain(remote);
    backend.http.server.listen(port, '127.0.0.1');
    try {
      await eventually(async () => expect(await statusNow()).to.include({ status: 'running' }), SOON);
    } finally {
      await backend.http.close();
    }
  });
});
