import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RunningPortolan, runPortolan } from '../../../test/support/command-line.ts';

const CONFIG = `
sources:
  - { name: published, managed: {} }
registries:
  - { name: main, sources: [published] }
auth: { mode: anonymous }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:0", internalAddress: "off" }
`;

const server = (name: string, version: string, more: object = {}) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name,
  description: `What ${name} knows.`,
  version,
  ...more,
});
const SKILL = { namespace: 'com.acme', name: 'triage', description: 'Sorts tickets.', version: '0.3.0' };
const NOTES = 'server/com.acme/notes';

describe('portolan publish and entries, with a running server', function () {
  this.timeout(180_000); // starts a server and a process for each command

  let folder: string;
  let running: RunningPortolan;
  let url: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-published-'));
    await writeFile(path.join(folder, 'portolan.config.yaml'), CONFIG);
    running = new RunningPortolan(['serve'], { cwd: folder });
    const { address } = await running.logged('listening');
    url = `http://${String(address)}`;
  });
  afterEach(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const portolan = (...args: readonly string[]) =>
    runPortolan(args, { cwd: folder, env: { PORTOLAN_URL: url } });
  const done = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await portolan(...args);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return stdout;
  };
  const write = async (name: string, document: object): Promise<string> => {
    await writeFile(path.join(folder, name), JSON.stringify(document));
    return name;
  };
  const listed = async (): Promise<readonly string[]> => {
    const response = await fetch(`${url}/registry/main/v0.1/servers`);
    // SAFETY: the response of the registry, which other tests check.
    const { servers } = (await response.json()) as {
      readonly servers: readonly { readonly server: { readonly name: string; readonly version: string } }[];
    };
    return servers.map(({ server: { name, version } }) => `${name} ${version}`);
  };

  it('publish › publishes documents of every type to the registry', async () => {
    await done(
      'publish',
      await write('notes.json', server('com.acme/notes', '1.0.0')),
      '--claim',
      'org=acme',
    );
    await done('publish', await write('skill.json', SKILL), '--type', 'skill');
    await done('publish', await write('plugin.json', SKILL), '--type', 'plugin');
    expect(await listed()).to.deep.equal(['com.acme/notes 1.0.0']);
    const table = await done('entries', 'list', '--source', 'published');
    expect(table.split('\n').map((row) => row.trim().split(/ {2,}/).join(' | '))).to.deep.equal([
      'TYPE | NAME | VERSION | STATUS | SOURCE | CLAIMS',
      'plugin | com.acme/triage | 0.3.0 | active | published | -',
      'server | com.acme/notes | 1.0.0 | active | published | org=acme',
      'skill | com.acme/triage | 0.3.0 | active | published | -',
      '',
    ]);
  });

  it('publish › does nothing when a catalogue is published again', async () => {
    const servers = ['1.0.0', '1.1.0', '2.0.0'].map((version) => server('com.acme/notes', version));
    const file = await write('catalogue.json', { version: '1.0.0', data: { servers, skills: [SKILL] } });
    expect((await portolan('publish', file)).stdout).to.equal('4 published\n');
    expect(await portolan('publish', file)).to.include({
      status: 0,
      stdout: '0 published, 4 already there\n',
    });
    expect(await listed()).to.have.length(3);
  });

  it('publish --dry-run › validates on the server, and stores nothing', async () => {
    const file = await write('notes.json', server('com.acme/notes', '1.0.0'));
    expect(await done('publish', file, '--dry-run')).to.equal('valid  server com.acme/notes 1.0.0\n');
    expect(await listed()).to.deep.equal([]);
  });

  it('publish --dry-run › counts like a publish, also a version that the file contains twice', async () => {
    const servers = ['1.0.0', '1.0.0', '2.0.0'].map((version) => server('com.acme/notes', version));
    const file = await write('twice.json', { version: '1.0.0', data: { servers } });
    expect((await portolan('publish', file, '--dry-run')).stdout).to.equal('2 valid, 1 already there\n');
    expect((await portolan('publish', file)).stdout).to.equal('2 published, 1 already there\n');
  });

  it('publish › accepts a document of init', async () => {
    await write('package.json', { name: '@acme/notes-mcp', version: '1.0.0', description: 'Keeps notes.' });
    const said = [
      '--name',
      'com.acme/notes',
      '--secret',
      'API_KEY',
      '--repository',
      'https://github.com/acme/notes',
    ];
    const { status, stderr } = await portolan('init', ...said);
    expect({ status, stderr }).to.have.property('status', 0);
    expect(stderr).to.include('server.json is written');
    expect((await portolan('init', ...said)).stderr).to.include('--yes');
    const asks =
      'com.acme/notes asks its users for:\n  secrets\n' +
      '    gives the secret API_KEY to the server npx://@acme/notes-mcp\n';
    expect(await portolan('publish', 'server.json', '--dry-run')).to.include({
      status: 0,
      stdout: 'valid  server com.acme/notes 1.0.0\n',
      stderr: asks,
    });
    expect(await portolan('publish', 'server.json')).to.include({ status: 0, stderr: asks });
    expect(await listed()).to.deep.equal(['com.acme/notes 1.0.0']);
    const empty = await portolan('init', '--from', 'none');
    expect(empty).to.include({ status: 2 });
    expect(empty.stderr).to.include('--name').and.to.include('--version');
  });

  it('publish --dry-run › reports problems that only the server can find', async () => {
    const remotes = [{ type: 'streamable-http', url: 'https://notes.acme.example/mcp' }];
    await done('publish', await write('notes.json', server('com.acme/notes', '1.0.0', { remotes })));
    const file = await write('copy.json', server('com.acme/copy', '1.0.0', { remotes }));
    const { status, stderr } = await portolan('publish', file, '--dry-run');
    expect(status).to.equal(1);
    expect(stderr).to.include('remotes[0]').and.to.include('com.acme/notes');
  });

  it('publish --dry-run › reports the same problems of claims, source and version as a publish', async () => {
    const first = await write('notes.json', server('com.acme/notes', '1.0.0'));
    await done('publish', first, '--claim', 'org=acme');
    expect((await portolan('publish', first, '--dry-run')).stderr).to.match(/^error: .*1\.0\.0/);
    const second = await write('second.json', server('com.acme/notes', '1.1.0'));
    const other = await portolan('publish', second, '--dry-run', '--claim', 'org=other');
    expect(other).to.include({ status: 1 });
    expect(other.stderr).to.include('claims');
    expect((await portolan('publish', second, '--dry-run', '--source', 'nowhere')).status).to.equal(1);
    expect(await done('publish', second, '--dry-run', '--claim', 'org=acme')).to.equal(
      'valid  server com.acme/notes 1.1.0\n',
    );
    expect(await listed()).to.deep.equal(['com.acme/notes 1.0.0']);
  });

  it('publish › rejects an existing version', async () => {
    const file = await write('notes.json', server('com.acme/notes', '1.0.0'));
    await done('publish', file);
    const { status, stdout, stderr } = await portolan('publish', file);
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
    expect(stderr).to.match(/^error: .*com\.acme\/notes.*1\.0\.0/);
  });

  it('entries › deprecates, withdraws, restores and deletes', async () => {
    for (const version of ['1.0.0', '2.0.0'])
      await done('publish', await write('notes.json', server('com.acme/notes', version)));
    const statuses = async () => {
      const json = await done('entries', 'list', '--registry', 'main', '--format', 'json');
      const { entries }: { entries: readonly { version: string; status: string }[] } = JSON.parse(json);
      return Object.fromEntries(entries.map(({ version, status }) => [version, status]));
    };
    await done('entries', 'deprecate', NOTES, '1.0.0', '--message', 'Use 2.0.0.');
    expect(await statuses()).to.deep.equal({ '1.0.0': 'deprecated', '2.0.0': 'active' });
    expect(await done('entries', 'withdraw', NOTES)).to.equal(
      'withdrawn 2 versions of server com.acme/notes\n',
    );
    expect(await listed()).to.deep.equal([]);
    await done('entries', 'restore', NOTES, '2.0.0');
    expect(await listed()).to.deep.equal(['com.acme/notes 2.0.0']);
    await done('entries', 'delete', NOTES, '1.0.0', '--yes');
    expect(await statuses()).to.deep.equal({ '2.0.0': 'active' });
    const again = await portolan('entries', 'delete', NOTES, '1.0.0', '--yes');
    expect(again).to.include({ status: 1, stdout: '' });
    expect(again.stderr).to.include('1.0.0');
  });

  it('entries claims set › changes claims only at the given revision', async () => {
    await done(
      'publish',
      await write('notes.json', server('com.acme/notes', '1.0.0')),
      '--claim',
      'org=acme',
    );
    const read = async () => JSON.parse(await done('entries', 'claims', 'get', NOTES, '--format', 'json'));
    const { claims, revision } = await read();
    expect(claims).to.deep.equal({ org: 'acme' });
    const set = ['entries', 'claims', 'set', NOTES, '--if-match', revision];
    await done(...set, '--claim', 'team=maps', '--claim', 'team=tides');
    expect((await read()).claims).to.deep.equal({ team: ['maps', 'tides'] });
    expect(await portolan(...set, '--clear')).to.include({ status: 1 });
    await done('entries', 'claims', 'set', NOTES, '--clear');
    expect((await read()).claims).to.deep.equal({});
  });

  it('claims explain › explains access to a published entry', async () => {
    await done('publish', await write('notes.json', server('com.acme/notes', '1.0.0')));
    const text = await done('claims', 'explain', '--url', url, '--registry', 'main', '--entry', NOTES);
    expect(text).to.include('mode      anonymous').and.to.include('Shown from source "published".');
  });
});
