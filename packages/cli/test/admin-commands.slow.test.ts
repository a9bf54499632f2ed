import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandOptions, RunningPortolan, runPortolan } from '../../../test/support/command-line.ts';

const CONFIG = `
sources:
  - { name: fixed, managed: {} }
registries:
  - { name: main, sources: [fixed] }
auth: { mode: anonymous }
apiSources: { allowedDirectories: [.] }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:0", internalAddress: "off" }
`;
const server = (name: string, more: object = {}) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name,
  description: 'Keeps notes.',
  version: '1.0.0',
  ...more,
});
const CATALOGUE = {
  version: '1.0.0',
  data: { servers: [server('com.acme/notes'), server('com.acme/bad', { version: 7 })] },
};

describe('portolan sources and registries, with a running server', function () {
  this.timeout(180_000); // starts a server and a process for each command
  let folder: string;
  let running: RunningPortolan;
  let url: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-admin-'));
    await writeFile(path.join(folder, 'portolan.config.yaml'), CONFIG);
    await writeFile(path.join(folder, 'partners.json'), JSON.stringify(CATALOGUE));
    running = new RunningPortolan(['serve'], { cwd: folder });
    const { address } = await running.logged('listening');
    url = `http://${String(address)}`;
  });
  after(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const portolan = (args: readonly string[], options: CommandOptions = {}) =>
    runPortolan(args, { cwd: folder, env: { PORTOLAN_URL: url }, ...options });
  const done = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await portolan(args);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return stdout;
  };

  it('create, list, show, change and remove a source', async () => {
    const file = path.join(folder, 'partners.json');
    const create = [
      'sources',
      'create',
      'partners',
      '--kind',
      'file',
      '--set',
      `path=${file}`,
      '--interval',
      '1h',
    ];
    expect(await done(...create)).to.equal('source partners is created\n');
    const again = await portolan(create);
    expect(again).to.include({ status: 1 });
    expect(again.stderr).to.include('sources change partners');

    const synced = await done('sources', 'sync', 'partners', '--wait', '--full');
    expect(synced)
      .to.match(/^status +complete/m)
      .and.to.match(/^entries +1 servers/m);
    expect(synced).to.match(/^Skipped \(1\)\n {2}.+: .+/m);
    expect(await done('sources', 'sync', 'partners')).to.include('as soon as possible');

    expect(
      await done('sources', 'change', 'partners', '--interval', '2h', '--exclude', 'com.other/*'),
    ).to.include('is changed');
    const shown = JSON.parse(await done('sources', 'show', 'partners', '--format', 'json'));
    expect(shown).to.deep.include({ syncSchedule: '2h0m0s', sourceConfig: { path: file } });
    expect(shown.filterConfig).to.deep.equal({ names: { exclude: ['com.other/*'] } });
    expect(await done('sources', 'list'))
      .to.match(/^fixed +managed +file/m)
      .and.to.match(/^partners +file +API/m);

    await writeFile(file, '{');
    const failed = await portolan(['sources', 'sync', 'partners', '--wait']);
    expect(failed).to.include({ status: 1 });
    expect(failed.stdout).to.match(/^status +failed/m);
    expect(failed.stderr).to.include('could not be read');

    const asked = await portolan(['sources', 'remove', 'partners']);
    expect(asked).to.include({ status: 2 });
    expect(asked.stderr).to.include('--yes');
    expect(await done('sources', 'remove', 'partners', '--yes')).to.equal('source partners is removed\n');
    expect((await portolan(['sources', 'show', 'partners'])).status).to.equal(1);
  });

  it('stop a sync that would remove most entries, until --accept-removals or the HTTP API accepts it', async () => {
    const file = path.join(folder, 'shrinking.json');
    const give = async (...numbers: readonly number[]): Promise<void> => {
      const servers = numbers.map((number) => server(`com.shrinking/s${number}`));
      await writeFile(file, JSON.stringify({ version: '1.0.0', data: { servers } }));
    };
    const all = Array.from({ length: 20 }, (_, index) => index);
    const count = async (): Promise<number> => {
      const response = await fetch(`${url}/v1/sources/shrinking/entries?limit=100`);
      return ((await response.json()) as { readonly entries: readonly unknown[] }).entries.length;
    };
    const accept = {
      command: async () => void (await done('sources', 'sync', 'shrinking', '--accept-removals', '--wait')),
      'HTTP API': async () => {
        const accepting = `${url}/v1/sources/shrinking/sync?acceptRemovals=true`;
        expect((await fetch(accepting, { method: 'POST' })).status).to.equal(202);
      },
    };
    await give(...all);
    await done(
      'sources',
      'create',
      'shrinking',
      '--kind',
      'file',
      '--set',
      `path=${file}`,
      '--interval',
      '1h',
    );
    await done('sources', 'sync', 'shrinking', '--wait');
    for (const [way, acceptRemovals] of Object.entries(accept)) {
      await give(1);
      const held = await portolan(['sources', 'sync', 'shrinking', '--wait']);
      expect(held.status).to.equal(1);
      expect(held.stdout).to.include('held').and.include('would lose 19 of 20 entries');
      expect(await count()).to.equal(20);
      await acceptRemovals();
      await eventually(async () => expect(await count(), way).to.equal(1), { withinMs: 60_000 });
      await give(...all);
      await done('sources', 'sync', 'shrinking', '--wait');
      expect(await count()).to.equal(20);
    }
    await done('sources', 'remove', 'shrinking', '--yes');
  });

  it('read definitions from files and standard input, and report invalid ones', async () => {
    await writeFile(path.join(folder, 'team.yaml'), 'name: team\nmanaged: {}\n');
    expect(await done('sources', 'create', 'team', '-f', 'team.yaml')).to.include('is created');
    const registry = await portolan(['registries', 'create', 'second', '--file', '-'], {
      stdin: '{"sources": ["team", "fixed"]}',
    });
    expect(registry).to.include({ status: 0, stdout: 'registry second is created\n' });
    expect(await done('registries', 'change', 'second', '--sources', 'fixed')).to.include('is changed');
    expect(await done('registries', 'show', 'second')).to.match(/^sources +fixed$/m);
    expect(await done('registries', 'list'))
      .to.match(/^main +file/m)
      .and.to.match(/^second +API/m);
    const { registries } = JSON.parse(await done('registries', 'list', '--format', 'json'));
    expect(registries).to.have.lengthOf(2);

    const unknown = await portolan(['registries', 'create', 'third', '--sources', 'nobody']);
    expect(unknown).to.include({ status: 1 });
    const both = await portolan(['sources', 'create', 'x', '-f', 'team.yaml', '--kind', 'managed']);
    expect(both).to.include({ status: 2 });
    const mine = await portolan(['registries', 'remove', 'main', '--yes']);
    expect(mine).to.include({ status: 1 });
    expect(mine.stderr).to.include('configuration file');
    await done('registries', 'remove', 'second', '--yes');
    await done('sources', 'remove', 'team', '--yes');
  });
});
