import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';
import { ResumableBackend } from '../sessions/support/resumable-backend.ts';

const LIST = { id: 1, method: 'tools/list' };
const PASSWORD = 'swordfish-of-redis';

describe('portolan run --session-store', function () {
  this.timeout(120_000);
  let root: string;
  let redis: RedisServer;
  let backend: ResumableBackend;
  let environment: Readonly<Record<string, string>>;

  before(async function () {
    const program = await findRedis();
    if (program === undefined) skipSuite(this, 'needs redis-server');
    else redis = await RedisServer.start(program, ['--requirepass', PASSWORD]);
  });
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-store-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify({ sessionStores: { redis: { prefix: 'team-a' } } }));
    environment = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: file,
      PORTOLAN_SECRETS_PROVIDER: 'environment',
      PORTOLAN_SECRET_REDIS: PASSWORD,
    };
    backend = await ResumableBackend.start();
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await backend.http.close();
    await rm(root, { recursive: true, force: true });
  });
  after(() => redis?.stop());

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  const run = (name: string, ...more: readonly string[]): Promise<Finished> =>
    portolan(
      'run',
      `--name=${name}`,
      '--transport=streamable-http',
      ...(more.some((flag) => flag.startsWith('--session-store='))
        ? []
        : [`--session-store=${redis.address.href}`]),
      ...more,
      new URL('/mcp', backend.http.url).href,
    );

  it('lets two workloads serve the sessions of one remote, also after one is removed', async () => {
    const [first, second] = [
      await run('first', '--session-store-password=REDIS'),
      await run('second', '--session-store-password=REDIS'),
    ];
    expect([first.status, second.status], first.stderr + second.stderr).to.deep.equal([0, 0]);
    const { session } = await McpClient.connect(new URL(first.stdout.trim()));
    const later = new McpClient(new URL(second.stdout.trim()), session);
    expect((await later.post(LIST)).status).to.equal(200);
    await portolan('rm', 'first');
    expect((await later.post(LIST)).status).to.equal(200);
    await redis.kill();
    expect((await later.post(LIST)).status).to.equal(503);
    await redis.restart();
    await eventually(async () => expect((await later.post(LIST)).status).to.equal(404));
    const exported = path.join(root, 'exported.json');
    await portolan('export', 'second', exported);
    const text = await readFile(exported, 'utf8');
    expect(JSON.parse(text)).to.deep.include({
      session_store: redis.address.href,
      session_store_password: 'REDIS,target=session_store_password',
    });
    const logs = await portolan('logs', '--proxy', 'second');
    expect(text + logs.stdout + logs.stderr).not.to.include(PASSWORD);
  });

  it('is shown in the plan; the run starts nothing when the store is unusable', async () => {
    const planned = await portolan(
      'plan',
      '--transport=streamable-http',
      `--session-store=${redis.address.href}`,
      '--session-store-password=REDIS',
      'https://mcp.acme.example/mcp',
    );
    expect(planned.stdout, planned.stderr).to.include(redis.address.href).and.not.to.include(PASSWORD);
    const faults: readonly (readonly [more: readonly string[], says: RegExp])[] = [
      [[], /ERR_STORE_REFUSED|refuses the login/],
      [['--session-store-password=NOBODY'], /NOBODY/],
      [['--session-store=etcd://h', '--session-store-password=REDIS'], /etcd/],
      [[`--session-store=${redis.address.href}/a/b`, '--session-store-password=REDIS'], /database/],
      [['--stateless', '--session-store-password=REDIS'], /--stateless/],
    ];
    for (const [more, says] of faults) {
      const { status, stderr } = await run('not-run', ...more);
      expect(status, stderr).not.to.equal(0);
      expect(stderr).to.match(says).and.not.to.include(PASSWORD);
    }
  });
});
