import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { expectRecorded, readSession, wordsOf } from '../../support/examples/recorded-session.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';
import { TOOLS_SERVER } from './support/tools-server.ts';

const IMAGE = 'registry.acme.example/notes';
const OTHER_IMAGE = 'registry.other.example/notes';
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

describe('portolan update', function () {
  this.timeout(600_000); // The cases start a process for each command.
  let root: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-update-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const server = path.join(root, 'server.mjs');
    await writeFile(server, TOOLS_SERVER);
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = {
      [`${IMAGE}:1`]: [process.execPath, server, 'list', 'read'],
      [`${IMAGE}:2`]: [process.execPath, server, 'read', 'find'],
      [`${OTHER_IMAGE}:1`]: [process.execPath, server, 'read', 'find'],
      [`${IMAGE}:3`]: [process.execPath, '-e', 'process.exit(1)'],
      [`${IMAGE}:4`]: [process.execPath, '-e', 'setInterval(() => {}, 60_000)'],
    };
    const file = path.join(root, 'portolan.json');
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    await publish('1', ['list', 'read']);
    expect((await portolan('config', 'set-registry', './catalogue.json')).status).to.equal(0);
    const flags = ['--isolate-network=false', '--name=notes', '-e', 'LANGUAGE=en', '--label=team=maps'];
    const { status, stderr } = await portolan('run', 'example.acme/notes', ...flags);
    expect(status, stderr).to.equal(0);
  });
  after(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  /** Sets the catalogue of the registry, with one version of the server. */
  async function publish(version: string, tools: readonly string[], name = IMAGE): Promise<void> {
    const permissions = { network: { outbound: { allow_host: ['notes.acme.example'] } } };
    const image = `${name}:${version}`;
    const told = {
      'io.github.stacklok': { [image]: { tools, ...(version === '1' ? {} : { permissions }) } },
    };
    const entry = {
      $schema: SCHEMA,
      name: 'example.acme/notes',
      description: 'Notes.',
      version: `${version}.0.0`,
      packages: [{ registryType: 'oci', identifier: image, transport: { type: 'stdio' } }],
      _meta: { 'io.modelcontextprotocol.registry/publisher-provided': told },
    };
    const catalogue = { version: '1.0.0', data: { servers: [entry] } };
    await writeFile(path.join(root, 'catalogue.json'), JSON.stringify(catalogue));
  }

  const listed = async (): Promise<Readonly<Record<string, unknown>>> => {
    // SAFETY: output of Portolan.
    const all = JSON.parse((await portolan('list', '--all', '--format', 'json')).stdout) as Record<
      string,
      unknown
    >[];
    return all[0] ?? {};
  };

  it('reports no update while the newest version runs', async () => {
    const { status, stdout, stderr } = await portolan('update', '--check');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.match(new RegExp(`^notes: ${IMAGE}:1 is the newest\\n`));
  });

  it('shows the newer version and its changes, then replaces the workload, as the guide shows', async () => {
    await publish('2', ['read', 'find']);
    const before = await listed();
    const check = await portolan('update', '--check', '--format', 'json');
    expect(check.status, check.stderr).to.equal(3);
    const [report] = JSON.parse(check.stdout) as readonly Record<string, unknown>[];
    expect(report).to.deep.include({ of: 'entry', available: true, newest: `${IMAGE}:2`, updated: false });
    expect(report?.['tools']).to.deep.equal({ added: ['find'], removed: ['list'], changed: [] });
    for (const step of await readSession('guides/run/update.md'))
      expectRecorded(step, await portolan(...wordsOf(step)));
    const after = await listed();
    expect(after).to.include({ status: 'running', url: before['url'] });
    expect(after['labels']).to.deep.equal(before['labels']);
    // SAFETY: output of Portolan.
    const { stdout } = await portolan('export', 'notes', '-');
    expect(JSON.parse(stdout)).to.deep.include({ image: `${IMAGE}:2` });
    expect((JSON.parse(stdout) as { env_vars: object }).env_vars).to.deep.include({ LANGUAGE: 'en' });
  });

  it('rolls back when the newer version does not start', async () => {
    await publish('3', ['read']);
    const { status, stderr } = await portolan('update', 'notes', '--start-timeout=3s');
    expect(status).to.equal(1);
    expect(stderr).to.contain('notes is started again with its earlier settings');
    expect(await listed()).to.include({ status: 'running' });
    const { stdout } = await portolan('mcp', 'tools', 'notes');
    expect(stdout).to.match(/^find /m);
  });

  it('rolls back when Ctrl-C ends the wait for the newer version', async () => {
    await publish('4', ['read']);
    const before = await listed();
    const updating = new RunningPortolan(['update', 'notes'], { cwd: root, env: environment });
    await updating.told(/^Waiting for the server to respond/m);
    updating.kill('SIGINT');
    const { status, stderr } = await updating.finished;
    expect({ status }, stderr).to.deep.equal({ status: 130 });
    expect(stderr).to.contain('notes is started again with its earlier settings');
    expect(await listed()).to.include({ status: 'running', url: before['url'] });
  });

  it('keeps a stopped workload stopped', async () => {
    await publish('1', ['list', 'read']);
    expect((await portolan('stop', 'notes')).status).to.equal(0);
    const { status, stderr } = await portolan('update', '--all');
    expect(status, stderr).to.equal(0);
    expect(await listed()).to.include({ status: 'stopped' });
    const inspected = await portolan('inspect', 'notes');
    expect(inspected.stdout).to.contain(`${IMAGE}:1`);
  });

  it('asks for consent before another image gets the settings of the workload, and refuses without a terminal', async () => {
    await publish('1', ['list', 'read'], OTHER_IMAGE);
    const silent = await portolan('update', 'notes');
    expect({ status: silent.status }, silent.stderr).to.deep.equal({ status: 2 });
    const line = `runs ${OTHER_IMAGE}:1 in place of ${IMAGE}:1, with all settings of the workload notes`;
    expect(silent.stderr).to.include(line).and.include('--trust');
    expect((await portolan('inspect', 'notes')).stdout).to.contain(`${IMAGE}:1`);
    const trusted = await portolan('update', 'notes', '--trust');
    expect(trusted.status, trusted.stderr).to.equal(0);
    expect(trusted.stderr).to.include(`is allowed by --trust: ${line}`);
    expect((await portolan('inspect', 'notes')).stdout).to.contain(`${OTHER_IMAGE}:1`);
    expect((await portolan('trust', 'list')).stdout).to.include(line);
  });

  it('rejects a call without a workload and an unknown workload', async () => {
    const [nobody, unknown] = await Promise.all([portolan('update'), portolan('update', 'nobody')]);
    expect([nobody.status, unknown.status]).to.deep.equal([2, 1]);
    expect(unknown.stderr).to.contain('There is no workload named');
  });
});
