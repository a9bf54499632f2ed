import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';
import { TOOLS_SERVER } from './support/tools-server.ts';

const IMAGE = 'registry.acme.example/notes';
const SERVER_CONFIG = `
sources: [{ name: published, managed: {} }]
registries: [{ name: main, sources: [published] }]
auth: { mode: anonymous }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:0", internalAddress: "off" }
`;

describe('portolan update with a registry server', function () {
  this.timeout(600_000); // The cases start a process for each command.
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let server: RunningPortolan;
  let url: string;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-update-server-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    await mkdir(path.join(root, 'server'));
    await writeFile(path.join(root, 'server/portolan.config.yaml'), SERVER_CONFIG);
    server = new RunningPortolan(['serve'], { cwd: path.join(root, 'server') });
    url = `http://${String((await server.logged('listening'))['address'])}`;
    const script = path.join(root, 'server.mjs');
    await writeFile(script, TOOLS_SERVER);
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = {
      [`${IMAGE}:1`]: [process.execPath, script, 'list', 'read'],
      [`${IMAGE}:2`]: [process.execPath, script, 'read', 'find'],
      [`${IMAGE}:3`]: [process.execPath, script, 'read', 'sort'],
      [`${IMAGE}:4`]: [process.execPath, script, 'read', 'sort', 'count'],
    };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
  });
  after(async () => {
    if (environment !== undefined) await endWorkloads(root, environment);
    await server?.stop();
    if (root !== undefined) await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  async function done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await portolan(...args);
    expect(status, stderr).to.equal(0);
    return stdout;
  }

  async function publish(version: string): Promise<void> {
    const entry = {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: 'com.acme/notes',
      description: 'Keeps notes.',
      version: `${version}.0.0`,
      packages: [{ registryType: 'oci', identifier: `${IMAGE}:${version}`, transport: { type: 'stdio' } }],
    };
    await writeFile(path.join(root, `notes-${version}.json`), JSON.stringify(entry));
    await done('publish', `notes-${version}.json`, '--url', url);
  }

  const imageOf = async (name: string): Promise<unknown> => JSON.parse(await done('export', name, '-')).image;

  it('N10 › update --url replaces a workload with the version that was published after run --url', async () => {
    const at = ['--url', `${url}/registry/main`];
    await publish('1');
    await done('run', 'com.acme/notes', '--name=notes', '--isolate-network=false', ...at);
    expect(await imageOf('notes')).to.equal(`${IMAGE}:1`);
    expect(await done('update', '--check', ...at)).to.include(`${IMAGE}:1 is the newest`);

    await publish('2');
    const check = await portolan('update', '--check', '--format', 'json', ...at);
    expect(check.status, check.stderr).to.equal(3);
    const [report] = JSON.parse(check.stdout);
    expect(report).to.include({ of: 'entry', available: true, newest: `${IMAGE}:2`, updated: false });
    expect(await imageOf('notes')).to.equal(`${IMAGE}:1`);

    expect(await done('update', 'notes', ...at)).to.include(`${IMAGE}:2`);
    expect(await imageOf('notes')).to.equal(`${IMAGE}:2`);
    expect(await done('mcp', 'tools', 'notes'))
      .to.match(/^find /m)
      .and.not.match(/^list /m);
  });

  it('N10 › update shows the changes of a lock, and holds them until the user accepts', async () => {
    const at = ['--url', `${url}/registry/main`];
    await done('lock', 'notes', '--yes');
    const file = path.join(root, 'data/portolan/policies/notes/portolan.lock');
    const before = await readFile(file, 'utf8');

    await publish('3');
    const held = await portolan('update', 'notes', ...at);
    expect(held.status, held.stderr).to.equal(0);
    expect(held.stderr)
      .to.include('- tool find (removed, note)')
      .and.include('+ tool sort (added, held)')
      .and.include('portolan lock approve notes');
    expect(await readFile(file, 'utf8')).to.equal(before);
    expect(await done('mcp', 'tools', 'notes')).to.not.match(/^sort /m);

    await publish('4');
    const accepted = await portolan('update', 'notes', '--yes', ...at);
    expect(accepted.status, accepted.stderr).to.equal(0);
    expect(await done('lock', '--check', 'notes')).to.equal('notes: as locked\n');
    await eventually(async () => expect(await done('mcp', 'tools', 'notes')).to.match(/^count /m));
  });

  it('N10 › update without --url names the registry of the run when the configured registry does not have the server', async () => {
    await writeFile(path.join(root, 'empty.json'), '{"version":"1.0.0","data":{"servers":[]}}');
    await done('config', 'set-registry', './empty.json');
    expect(await done('update', 'notes')).to.include(
      `does not have the server com.acme/notes. The workload is from ${url}/registry/main: name it with --url.`,
    );
    expect(await imageOf('notes')).to.equal(`${IMAGE}:4`);
  });
});
