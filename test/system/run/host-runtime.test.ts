import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { ServerRecords } from '../../support/process-host/server-records.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';
import type { ListedWorkload } from '../../support/workload-user.ts';
import { expectUsable } from '../clients/connect-client.ts';

const IMAGE = 'acme/everything:1';
const HTTP = ['--transport', 'streamable-http'];
const SOON = { withinMs: 20_000 };

describe('portolan run with a runtime plugin that manages workloads itself', function () {
  this.timeout(120_000);
  let root: string;
  let records: ServerRecords;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-host-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const folder = path.join(root, 'servers');
    records = new ServerRecords(folder);
    const plugin = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = {
      [IMAGE]: [process.execPath, EVERYTHING],
      'acme/broken:1': [process.execPath, '-e', 'console.log("no key"); process.exit(7)'],
    };
    const config = { plugins: [plugin], runtimes: { processes: { folder, programs } } };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });
  const done = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await portolan(...args);
    expect(status, `portolan ${args.join(' ')}\n${stdout}${stderr}`).to.equal(0);
    return stdout;
  };
  const run = async (...args: readonly string[]): Promise<string> =>
    (await done('run', '--isolate-network=false', '--name', 'every', ...args)).trim();
  const statusOf = async (): Promise<unknown> => {
    // SAFETY: output of Portolan. A test that reads a missing field fails.
    const listed = JSON.parse(await done('list', '--all', '--format', 'json')) as readonly ListedWorkload[];
    return listed.find(({ name }) => name === 'every')?.status;
  };
  const pids = async (): Promise<readonly number[]> => (await records.find('every'))?.pids ?? [];

  it('passes secrets of arguments as variables (official registry 614)', async () => {
    environment = {
      ...environment,
      PORTOLAN_SECRETS_PROVIDER: 'environment',
      PORTOLAN_SECRET_mine: 'hunter2',
    };
    const config = {
      name: 'every',
      image: IMAGE,
      transport: 'stdio',
      isolate_network: false,
      cmd_args: ['stdio', '--key=$(key)'],
      inline_secrets: ['mine,target=key'],
    };
    await writeFile(path.join(root, 'foreign.json'), JSON.stringify(config));
    await done('run', '--from-config', 'foreign.json', '--trust');
    const [pid] = await pids();
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    expect(line.split('\0')).to.include('--key=hunter2');
    expect(await done('export', 'every', '-'))
      .to.include('--key=$(key)')
      .and.not.include('hunter2');
    await done('rm', 'every');
  });

  it('runs, lists, shows, restarts, stops and removes a server that speaks HTTP', async () => {
    const url = await run(...HTTP, IMAGE, '--', 'streamableHttp');
    await expectUsable(url);
    expect(await statusOf()).to.equal('running');
    expect(await done('logs', 'every')).to.match(/listening|started/i);
    const shown: unknown = JSON.parse(await done('inspect', 'every'));
    expect(shown).to.have.nested.property('host.name', 'Process host');
    expect(shown).to.have.nested.property('servers[0].running', true);
    expect(shown).not.to.have.any.keys('engine', 'containers');

    const [first] = await pids();
    await done('restart', 'every');
    await expectUsable(url);
    expect(await pids()).not.to.include(first);

    await done('stop', 'every');
    expect(await statusOf()).to.equal('stopped');
    expect(await records.list({})).to.deep.equal([]);
    await done('start', 'every');
    await expectUsable(url);

    expect(await done('rm', 'every')).to.equal('');
    expect(await records.list({})).to.deep.equal([]);
    expect(await done('list', '--all', '--format', 'json')).to.equal('[]\n');
    expect(await readdir(path.join(root, 'run', 'portolan')).catch(() => [])).to.deep.equal([]);
  });

  it('restarts a server that crashes, at the same address', async () => {
    const url = await run(...HTTP, IMAGE, '--', 'streamableHttp');
    const [pid = 0] = await pids();
    process.kill(pid, 'SIGKILL');
    await eventually(async () => {
      const [now = pid] = await pids();
      expect(now).not.to.equal(pid);
      await expectUsable(url);
      expect(await statusOf()).to.equal('running');
    }, SOON);
  });

  it('serves a stdio server with a process for each session', async () => {
    const url = await run('--transport', 'stdio', IMAGE, '--', 'stdio');
    await expectUsable(url);
    const [pid = 0] = await pids();
    process.kill(pid, 'SIGKILL');
    await eventually(() => expectUsable(url), SOON);
    await done('rm', 'every');
    expect(await records.list({})).to.deep.equal([]);
  });

  it('prints the output of a server that does not start, and leaves nothing', async () => {
    const { status, stderr } = await portolan('run', '--isolate-network=false', ...HTTP, 'acme/broken:1');
    expect(status).not.to.equal(0);
    expect(stderr).to.include('exit status 7').and.to.include('no key');
    expect(await records.list({})).to.deep.equal([]);
    expect(await done('list', '--all', '--format', 'json')).to.equal('[]\n');
  });

  it('plan › states that the runtime does not confine the server, and predicts no refusal', async () => {
    await run(...HTTP, IMAGE, '--', 'streamableHttp');
    await done('export', 'every', path.join(root, 'every.json'));
    const file = await done('plan', '--from-config', path.join(root, 'every.json'));
    const flags = await done('plan', '--isolate-network=false', '--name', 'other', ...HTTP, IMAGE);
    for (const plan of [file, flags])
      expect(plan).to.include('does not confine the server').and.not.to.include('would be refused');
  });

  const refused: readonly {
    readonly title: string;
    readonly flags: readonly string[];
    readonly says: string;
  }[] = [
    { title: 'an isolated network', flags: ['--isolate-network'], says: 'does not enforce' },
    { title: 'no network', flags: ['--permission-profile', 'none', '--network', 'none'], says: 'no network' },
    {
      title: 'a local folder',
      flags: ['--isolate-network=false', '--volume', `${homedir()}:/data`],
      says: 'folders of this machine',
    },
    {
      title: 'a local port',
      flags: ['--isolate-network=false', '--publish', '8000'],
      says: 'ports',
    },
  ];
  for (const { title, flags, says } of refused) {
    it(`plan › predicts the refusal of a workload with ${title}`, async () => {
      const args = [...HTTP, ...flags, '--name', 'every', IMAGE] as const;
      const plan = await done('run', ...args, '--dry-run');
      const wouldBe = plan.split('\n').filter((line) => line.includes('would be refused'));
      expect(wouldBe, plan).to.have.lengthOf(1);
      expect(wouldBe[0]).to.include('Process host').and.to.include(says);
      // SAFETY: output of Portolan. Without the field, the test fails.
      const document = JSON.parse(await done('plan', ...args, '--format', 'json')) as { warnings: string[] };
      expect(document.warnings.filter((text) => text.includes('would be refused'))).to.have.lengthOf(1);
    });
    it(`refuses a workload with ${title}, and starts nothing`, async () => {
      const { status, stderr } = await portolan('run', ...HTTP, ...flags, '--name', 'every', IMAGE);
      expect(status).not.to.equal(0);
      expect(stderr).to.include('Process host cannot run "every"').and.to.include(says);
      expect(await records.list({})).to.deep.equal([]);
      expect(await statusOf()).to.equal(undefined);
    });
  }

  it('warns that the runtime does not confine the server', async () => {
    const { stderr } = await portolan(
      'run',
      '--isolate-network=false',
      ...HTTP,
      IMAGE,
      '--',
      'streamableHttp',
    );
    expect(stderr).to.include('Process host does not confine the server');
  });

  it('refuses to build a package without an engine', async () => {
    const { status, stderr } = await portolan('run', 'npx://@acme/notes@1.0.0');
    expect(status).not.to.equal(0);
    expect(stderr).to.include(
      'Packages are built by a container engine, but the runtime Process host has none',
    );
  });

  it('plan › states that the runtime fetches the image', async () => {
    const { status, stdout, stderr } = await portolan('plan', ...HTTP, '--name', 'every', IMAGE);
    expect(status, stderr).to.equal(0);
    expect(stdout + stderr).to.include('Process host fetches the image itself');
  });

  it('doctor › finds and removes leftovers of a removed workload', async () => {
    const url = await run(...HTTP, IMAGE, '--', 'streamableHttp');
    await expectUsable(url);
    const left = await records.find('every');
    await done('rm', 'every');
    expect(left).not.to.equal(undefined);
    if (left !== undefined) await records.write({ ...left, pids: [] });
    const found = await done('doctor', '--fix');
    expect(found).to.include('Process host 1 responds').and.to.include('Server every belongs to a workload');
    expect(await records.list({})).to.deep.equal([]);
  });
});
