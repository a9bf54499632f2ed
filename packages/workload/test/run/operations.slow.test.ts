import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { createGroup } from '../../src/groups/groups.ts';
import { chooseNames } from '../../src/run/operations/choose-names.ts';
import { describeWorkload } from '../../src/run/operations/list/describe-workload.ts';
import { exportWorkload, renderExport } from '../../src/run/operations/export/export-workload.ts';
import { listWorkloads } from '../../src/run/operations/list/list-workloads.ts';
import { pruneLogs } from '../../src/run/operations/prune-logs.ts';
import { removeWorkloads } from '../../src/run/operations/remove-workloads.ts';
import { stopWorkloads } from '../../src/run/operations/stop-workloads.ts';
import { findProcess, type ProcessIdentity } from '../../src/state/process-identity.ts';
import type { WorkloadState } from '../../src/state/workload-state.ts';
import { findOwnFile } from '../../src/consent/trust-records.ts';
import { logFilesOf } from '../../src/state/log-files.ts';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { type TestWorkloadContext, testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const children: ChildProcess[] = [];
const servers: http.Server[] = [];
const { signal } = new AbortController();

async function cleanUp(): Promise<void> {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await folders.removeAll();
}

/** Starts a process in the role of a supervisor. A `stubborn` one ignores SIGTERM. */
async function startProcess(kind: 'polite' | 'stubborn' = 'polite'): Promise<ProcessIdentity> {
  const trap = kind === 'stubborn' ? "process.on('SIGTERM', () => {});" : '';
  const child = spawn(process.execPath, [
    '-e',
    `${trap}setInterval(() => {}, 1000);process.stdout.write('up')`,
  ]);
  children.push(child);
  await once(child.stdout, 'data');
  const found = await findProcess(child.pid ?? 0);
  if (found === undefined) throw new Error('the process has ended');
  return found;
}

async function serveHealth(instance: string): Promise<string> {
  const server = http.createServer((_, response) => {
    response.end(JSON.stringify({ status: 'healthy', instance, transport: 'stdio' }));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function keep(
  context: TestWorkloadContext,
  name: string,
  state: Partial<WorkloadState>,
  config: Partial<RunConfig> = {},
): Promise<void> {
  const supervisor = { pid: 2 ** 22 + 5, started: 'never' };
  await context.store.claim(
    createRunConfig({ name, image: 'acme/a', group: 'default', ...config }),
    supervisor,
  );
  await context.store.change(name, (now) => ({ ...now, supervisor: undefined, ...state }));
}

async function open(): Promise<TestWorkloadContext> {
  return testWorkloadContext(await folders.make());
}

async function filesOf(context: TestWorkloadContext): Promise<readonly string[]> {
  const found = await readdir(context.home, { recursive: true, withFileTypes: true });
  return found.filter((item) => !item.isDirectory()).map(({ name }) => name);
}

describe('listWorkloads', () => {
  afterEach(cleanUp);

  it('shows a responding workload without opening the engine', async () => {
    const context = await open();
    const url = await serveHealth('nonce');
    const running = { status: 'running', url, instance: 'nonce', startedAt: new Date(0) } as const;
    await keep(
      context,
      'weather',
      { ...running, supervisor: await startProcess() },
      { container_labels: { a: 'b' } },
    );
    await keep(context, 'asleep', { status: 'stopped' });
    const { workloads, notes } = await listWorkloads(context);
    expect(notes).to.deep.equal([]);
    expect(workloads.map(({ name, status }) => [name, status])).to.deep.equal([['weather', 'running']]);
    expect(workloads[0]).to.include({
      package: 'acme/a',
      transport_type: '',
      group: 'default',
      remote: false,
    });
    expect(context.opened.runtimes).to.equal(0);
    expect((await listWorkloads(context, { labels: { a: 'c' } })).workloads).to.deep.equal([]);
    await createGroup('trial', context);
    expect((await listWorkloads(context, { group: 'trial' })).workloads).to.deep.equal([]);
  });

  it('accepts existing groups, and rejects unknown ones', async () => {
    const context = await open();
    expect((await listWorkloads(context, { group: 'default' })).workloads).to.deep.equal([]);
    expect(await caught(() => listWorkloads(context, { group: 'trail' }))).to.have.property(
      'code',
      'ERR_GROUP_UNKNOWN',
    );
  });

  it('reports a port that another program has taken', async () => {
    const context = await open();
    const url = await serveHealth('of another');
    await keep(context, 'weather', {
      status: 'running',
      url,
      instance: 'mine',
      supervisor: await startProcess(),
    });
    const { workloads } = await listWorkloads(context);
    expect(workloads[0]).to.include({ status: 'unhealthy' });
    expect(workloads[0]?.status_context).to.include('another program');
  });

  it('records that a supervisor is gone', async () => {
    const context = await open();
    await keep(context, 'weather', { status: 'running' });
    expect((await listWorkloads(context)).workloads[0]?.status).to.equal('unhealthy');
    expect((await context.store.getState('weather')).status).to.equal('unhealthy');
  });

  it('with --all shows containers without a state, or a note when the engine is unavailable', async () => {
    const folder = await folders.make();
    const unreachable = testWorkloadContext(folder);
    expect((await listWorkloads(unreachable, { all: true })).notes).to.have.lengthOf(1);
    const labels = {
      'portolan.dev/workload': 'true',
      'portolan.dev/name': 'forgotten',
      'portolan.dev/role': 'server',
      'portolan.dev/port': '8123',
    };
    const container = { labels, image: 'acme/a', createdAt: new Date(0), state: { running: true } };
    // The listing reads no other part of the description.
    const context = testWorkloadContext(folder, {
      listContainers: () => Promise.resolve([container as never]),
    });
    const { workloads } = await listWorkloads(context, { all: true });
    expect(workloads[0]).to.include({ name: 'forgotten', status: 'unknown', port: 8123 });
    expect(await describeWorkload('forgotten', context)).to.include({ health: 'unknown' });
  });

  it('shows the readable parts of a workload with a damaged state', async () => {
    const context = await open();
    await keep(context, 'weather', { status: 'running' });
    await writeFile(path.join(context.directories.statuses, 'weather.json'), '{"format": 1, "na');
    const { workloads } = await listWorkloads(context);
    expect(workloads[0]).to.include({ name: 'weather', status: 'unknown', package: 'acme/a' });
    expect(workloads[0]?.status_context).to.include('damaged');
  });
});

describe('stopWorkloads', () => {
  afterEach(cleanUp);

  it('ends the supervisor, also one that ignores SIGTERM', async () => {
    const context = await open();
    for (const kind of ['polite', 'stubborn'] as const) {
      await keep(
        context,
        kind,
        { status: 'running', supervisor: await startProcess(kind) },
        { remote_url: 'https://a.example/mcp' },
      );
    }
    const results = await stopWorkloads(['polite', 'stubborn'], context, { timeoutMs: 0 }, signal);
    expect(results.map(({ changed, error }) => ({ changed, error }))).to.deep.equal([
      { changed: true, error: undefined },
      { changed: true, error: undefined },
    ]);
    expect((await context.store.getState('stubborn')).status).to.equal('stopped');
    expect(context.opened.runtimes).to.equal(0);
  });

  it("leaves stopped workloads unchanged, and other processes with the supervisor's former id running", async () => {
    const context = await open();
    const other = await startProcess();
    await keep(context, 'weather', { status: 'stopped', supervisor: { ...other, started: 'another time' } });
    const [result] = await stopWorkloads(['weather'], context, {}, signal);
    expect(result).to.include({ changed: false, error: undefined });
    expect(await findProcess(other.pid)).to.deep.equal(other);
  });

  it('reports an unknown workload, and stops the others', async () => {
    const context = await open();
    await keep(context, 'weather', { status: 'running' }, { remote_url: 'https://a.example/mcp' });
    const [first, second] = await stopWorkloads(['nobody', 'weather'], context, {}, signal);
    expect(first?.error).to.have.property('code', 'ERR_WORKLOAD_UNKNOWN');
    expect(second).to.include({ name: 'weather', changed: true });
  });
});

describe('removeWorkloads', () => {
  afterEach(cleanUp);

  const damages = [
    { title: 'intact', text: undefined },
    { title: 'truncated', text: '{"format": 1, "name": "wea' },
    { title: 'empty', text: '' },
    { title: 'of a newer format', text: '{"format": 99, "name": "weather"}' },
  ];
  for (const { title, text } of damages) {
    it(`leaves no process and no file when the state is ${title}, without an engine`, async () => {
      const context = await open();
      const supervisor = await startProcess();
      await keep(context, 'weather', { status: 'running', supervisor });
      if (text !== undefined) await writeFile(path.join(context.directories.statuses, 'weather.json'), text);
      await mkdir(context.directories.logs, { recursive: true });
      await writeFile(logFilesOf('weather', context.directories).server, 'words\n');
      const [result] = await removeWorkloads(['weather'], context, signal);
      expect(result).to.include({ changed: true, error: undefined });
      expect(result?.notes.join()).to.include('may remain');
      expect(await findProcess(supervisor.pid)).to.equal(undefined);
      expect(await filesOf(context)).to.deep.equal([]);
    });
  }

  it('rejects an unknown name', async () => {
    const context = testWorkloadContext(await folders.make(), {
      listContainers: () => Promise.resolve([]),
      listNetworks: () => Promise.resolve([]),
    });
    const [result] = await removeWorkloads(['nobody'], context, signal);
    expect(result?.error).to.have.property('code', 'ERR_WORKLOAD_UNKNOWN');
  });

  it('removes a workload of which only the renamed damaged files are left', async () => {
    const context = testWorkloadContext(await folders.make(), {
      listContainers: () => Promise.resolve([]),
      listNetworks: () => Promise.resolve([]),
    });
    await mkdir(context.directories.statuses, { recursive: true });
    await writeFile(path.join(context.directories.statuses, 'weather.json'), '{');
    await context.store.setAside('weather');
    expect(await filesOf(context)).to.deep.equal(['weather.json.corrupted']);
    const [result] = await removeWorkloads(['weather'], context, signal);
    expect(result).to.include({ error: undefined, changed: true });
    expect(await filesOf(context)).to.deep.equal([]);
  });
});

describe('exportWorkload', () => {
  afterEach(cleanUp);

  it('creates a file with mode 600, and its parent folders', async () => {
    const context = await open();
    await keep(
      context,
      'weather',
      { status: 'stopped' },
      { env_vars: { REGION: 'eu' }, secrets: ['k,target=API_KEY'] },
    );
    const { file, warnings } = await exportWorkload('weather', 'out/of/weather.json', 'json', context);
    expect(file).to.equal(path.join(context.home, 'out/of/weather.json'));
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(path.dirname(file))).mode & 0o027).to.equal(0);
    expect(warnings.join()).to.include('REGION').and.not.include('eu.');
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.include({ secrets: ['k,target=API_KEY'] });
  });

  it("records the text on standard output as the user's own file, like a file", async () => {
    const context = await open();
    await keep(context, 'weather', { status: 'stopped' });
    const { text } = await renderExport('weather', 'json', context);
    expect(await findOwnFile(text, context)).to.include({ workload: 'weather' });
    const { text: resource } = await renderExport('weather', 'k8s', context);
    expect(await findOwnFile(resource, context)).to.equal(undefined);
  });

  for (const named of ['/dev/null', '.']) {
    it(`rejects ${named} as output`, async () => {
      const context = await open();
      await keep(context, 'weather', { status: 'stopped' });
      const error = await caught(() => exportWorkload('weather', named, 'json', context));
      expect(error.code).to.equal('ERR_NAMED_FILE');
      expect((await stat(path.resolve(context.home, named))).isFile()).to.equal(false);
    });
  }

  it('writes to the target of a symbolic link', async () => {
    const context = await open();
    await keep(context, 'weather', { status: 'stopped' });
    const link = path.join(context.home, 'link.json');
    await symlink('file.json', link);
    await exportWorkload('weather', link, 'json', context);
    expect((await lstat(link)).isSymbolicLink()).to.equal(true);
    expect((await lstat(path.join(context.home, 'file.json'))).isFile()).to.equal(true);
  });

  it('writes a Kubernetes custom resource', async () => {
    const context = await open();
    await keep(context, 'weather', { status: 'stopped' });
    const { file } = await exportWorkload('weather', 'k8s.yaml', 'k8s', context);
    expect(await readFile(file, 'utf8')).to.match(
      /^apiVersion: toolhive\.stacklok\.dev\/v1beta1\nkind: MCPServer\n/,
    );
  });
});

describe('chooseNames', () => {
  afterEach(cleanUp);

  it('returns the given names, the workloads of a group, or all workloads', async () => {
    const context = await open();
    await mkdir(context.directories.groups, { recursive: true });
    await writeFile(
      path.join(context.directories.groups, 'trial.json'),
      '{"name":"trial","registered_clients":[]}',
    );
    await keep(context, 'a', {}, { group: 'trial' });
    await keep(context, 'b', {});
    expect(await chooseNames({ names: ['x', 'x'] }, context)).to.deep.equal(['x']);
    expect(await chooseNames({ names: [], group: 'trial' }, context)).to.deep.equal(['a']);
    expect(await chooseNames({ names: [], all: true }, context)).to.deep.equal(['a', 'b']);
  });

  const refused = [
    { title: 'no names', choice: { names: [] }, code: 'ERR_BAD_ARGUMENT' },
    { title: 'a name beside --all', choice: { names: ['a'], all: true }, code: 'ERR_SETTINGS_CONFLICT' },
    { title: 'an unknown group', choice: { names: [], group: 'gone' }, code: 'ERR_GROUP_UNKNOWN' },
  ];
  for (const { title, choice, code } of refused) {
    it(`rejects ${title}`, async () => {
      const context = await open();
      expect(await caught(() => chooseNames(choice, context))).to.have.property('code', code);
    });
  }
});

describe('pruneLogs', () => {
  afterEach(cleanUp);

  it('removes logs of removed workloads', async () => {
    const context = await open();
    await keep(context, 'weather', {});
    await mkdir(context.directories.logs, { recursive: true });
    for (const name of ['weather.log', 'gone.log', 'gone.server.log.1', 'notes.txt']) {
      await writeFile(path.join(context.directories.logs, name), '');
    }
    const removed = (await pruneLogs(context)).map((file) => path.basename(file));
    expect(removed).to.deep.equal(['gone.log', 'gone.server.log.1']);
    expect(await readdir(context.directories.logs)).to.have.members(['weather.log', 'notes.txt']);
  });
});
