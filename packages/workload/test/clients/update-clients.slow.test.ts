import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { announceToClients } from '../../src/clients/announce-to-clients.ts';
import { listClients, registerClient, unregisterClient } from '../../src/clients/register-clients.ts';
import { addToClients, removeFromClients } from '../../src/clients/update-clients.ts';
import { findWorkloadAddress } from '../../src/clients/workload-address.ts';
import { createGroup } from '../../src/groups/groups.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';
import { caught } from '../../../../test/support/caught.ts';
import { keepContext, runningWorkload } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();

const address = { name: 'notes', url: 'http://127.0.0.1:18080/mcp', transport: 'streamable-http' } as const;

async function contextWith(...clients: readonly string[]): Promise<WorkloadContext> {
  const context = keepContext(await folders.make());
  for (const client of clients) await registerClient(client, 'default', context);
  return context;
}

describe('addToClients and removeFromClients', () => {
  afterEach(() => folders.removeAll());

  it('create files with mode 600, and leave no entry or lock behind', async () => {
    const context = await contextWith('cursor', 'claude-code', 'goose', 'codex');
    expect(await addToClients(address, 'default', context)).to.deep.equal([]);
    for (const file of [
      '.cursor/mcp.json',
      '.claude.json',
      'config/goose/config.yaml',
      '.codex/config.toml',
    ]) {
      const found = path.join(context.home, file);
      expect(await readFile(found, 'utf8'), file).to.include(address.url);
      expect((await stat(found)).mode & 0o777, file).to.equal(0o600);
    }
    expect((await stat(path.join(context.home, '.cursor'))).mode & 0o777).to.equal(0o700);
    expect(await removeFromClients('notes', context)).to.deep.equal([]);
    for (const file of [
      '.cursor/mcp.json',
      '.claude.json',
      'config/goose/config.yaml',
      '.codex/config.toml',
    ]) {
      expect(await readFile(path.join(context.home, file), 'utf8'), file).to.not.include('notes');
    }
    expect(await readdir(path.join(context.directories.groups, '..', 'locks'))).to.deep.equal([]);
  });

  it('change only the clients of the group; the default group has those registered without a group', async () => {
    const base = await contextWith();
    const context = { ...base, user: { ...base.user, registeredClients: ['kiro'] } };
    await createGroup('team', context);
    await registerClient('cursor', 'team', context);
    await addToClients(address, 'team', context);
    expect(await readdir(context.home))
      .to.include('.cursor')
      .and.not.include('.kiro');
    await addToClients(address, '', context);
    expect(await readFile(path.join(context.home, '.kiro/settings/mcp.json'), 'utf8')).to.include(
      address.url,
    );
  });

  it('write through a symbolic link, and keep the permissions of its target', async () => {
    const context = await contextWith('cursor');
    await mkdir(path.join(context.home, '.cursor'));
    const target = path.join(context.home, 'dotfiles.json');
    await writeFile(target, '{}');
    await chmod(target, 0o644);
    await symlink('../dotfiles.json', path.join(context.home, '.cursor/mcp.json'));
    expect(await addToClients(address, 'default', context)).to.deep.equal([]);
    expect(await readFile(target, 'utf8')).to.include(address.url);
    expect((await stat(target)).mode & 0o777).to.equal(0o644);
    expect((await lstat(path.join(context.home, '.cursor/mcp.json'))).isSymbolicLink()).to.equal(true);
  });

  it('warn about a file that they cannot change, leave it unchanged, and continue with the next', async () => {
    const context = await contextWith('cursor', 'kiro', 'zed');
    await mkdir(path.join(context.home, '.cursor'));
    await mkdir(path.join(context.home, 'config/zed/settings.json'), { recursive: true });
    const broken = path.join(context.home, '.cursor/mcp.json');
    await writeFile(broken, Buffer.from([0x7b, 0xff, 0x7d]));
    const warnings = await addToClients(address, 'default', context);
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.equal(`cursor: ${broken} was not changed: it is not UTF-8 text.`);
    expect(warnings[1]).to.match(/^zed: .*settings\.json was not changed: /);
    expect(await readFile(broken)).to.deep.equal(Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await readFile(path.join(context.home, '.kiro/settings/mcp.json'), 'utf8')).to.include(
      address.url,
    );
  });

  it('warn about unknown clients and an unreadable group', async () => {
    const context = await contextWith();
    await mkdir(context.directories.groups, { recursive: true });
    const file = path.join(context.directories.groups, 'default.json');
    await writeFile(file, '{"name":"default","registered_clients":["gone-editor"]}');
    expect((await addToClients(address, 'default', context))[0]).to.include('no client "gone-editor"');
    await writeFile(file, '{');
    expect((await addToClients(address, 'default', context))[0]).to.include('is not a valid group');
    expect((await removeFromClients('notes', context))[0]).to.include(
      'the files of all clients were searched',
    );
  });

  it('show no content of an invalid file in warnings', async () => {
    const context = await contextWith('cursor', 'codex', 'goose');
    for (const [folder, file] of [
      ['.cursor', 'mcp.json'],
      ['.codex', 'config.toml'],
      ['config/goose', 'config.yaml'],
    ] as const) {
      await mkdir(path.join(context.home, folder), { recursive: true });
      await writeFile(path.join(context.home, folder, file), 'a: [hunter2\n  "hunter2" = { hunter2\n');
    }
    const warnings = await addToClients(address, 'default', context);
    expect(warnings).to.have.length(3);
    expect(warnings.join('\n'))
      .to.match(/line \d/)
      .and.not.include('hunter2');
  });

  it('lose no entry when several processes write concurrently', async () => {
    const context = await contextWith('cursor', 'codex', 'goose');
    const script = path.join(import.meta.dirname, '..', 'support', 'client-worker.ts');
    const names = ['a', 'b', 'c', 'd'];
    const children = names.map((name) =>
      spawn(process.execPath, ['--conditions=@portolan/source', script, context.home, name], {
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    );
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).to.deep.equal([0, 0, 0, 0]);
    for (const file of ['.cursor/mcp.json', '.codex/config.toml', 'config/goose/config.yaml']) {
      const text = await readFile(path.join(context.home, file), 'utf8');
      for (const name of names) {
        for (let index = 0; index < 3; index += 1) expect(text, file).to.include(`${name}-${index}`);
      }
    }
  });
});

describe('registerClient and unregisterClient', () => {
  afterEach(() => folders.removeAll());

  it("add the running workloads to the client's file, and remove them", async () => {
    const context = await contextWith();
    const url = await runningWorkload(context, 'notes');
    await runningWorkload(context, 'stopped');
    await context.store.change('stopped', (state) => ({ ...state, status: 'stopped' }));
    expect(await registerClient('vscode-server', 'default', context)).to.deep.equal([]);
    const file = path.join(context.home, '.vscode-server/data/User/mcp.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({ servers: { notes: { url } } });
    expect(await unregisterClient('vscode-server', undefined, context)).to.deep.equal({
      groups: ['default'],
      warnings: [],
    });
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({ servers: {} });
    expect(await unregisterClient('vscode-server', 'default', context)).to.deep.equal({
      groups: [],
      warnings: [],
    });
  });

  it('F2, F10 › registerClient › writes a command, with a note, for a client without HTTP+SSE', async () => {
    for (const [client, file] of [
      ['codex', '.codex/config.toml'],
      ['mistral-vibe', '.vibe/config.toml'],
      ['goose', 'config/goose/config.yaml'],
      ['zed', 'config/zed/settings.json'],
    ] as const) {
      const context = await contextWith();
      const url = await runningWorkload(context, 'notes', { transport: 'stdio', proxy_mode: 'sse' });
      const notes: string[] = [];
      await registerClient(client, 'default', context, { note: (text) => notes.push(text) });
      const place = path.join(context.home, file);
      const text = await readFile(place, 'utf8');
      expect(text, client)
        .to.match(/\[\s*"proxy",\s*"stdio",\s*"notes"\s*\]/)
        .and.not.include(url);
      expect(notes).to.deep.equal([
        `${client} cannot connect by HTTP+SSE. Its entry notes in ${place} starts the command \`portolan proxy stdio notes\` instead.`,
      ]);
      await registerClient(client, 'default', context, { note: (again) => notes.push(again) });
      expect(notes, 'an unchanged file').to.have.length(1);
      await unregisterClient(client, undefined, context);
      expect(await readFile(place, 'utf8'), client).to.not.include('notes');
    }
  });

  it('registerClient › says once that a client gets commands, also before any workload runs', async () => {
    const context = await contextWith();
    const notes: string[] = [];
    const observer = { note: (text: string) => notes.push(text), warn: (text: string) => notes.push(text) };
    await registerClient('claude-desktop', 'default', context, observer);
    expect(notes.splice(0)).to.deep.equal([
      'claude-desktop cannot connect by HTTP. Its entries start the command `portolan proxy stdio NAME` instead.',
    ]);
    await runningWorkload(context, 'notes');
    for (let start = 0; start < 2; start += 1) {
      await announceToClients((await context.store.getConfig('notes')).config, context, observer);
      await removeFromClients('notes', context);
    }
    expect(notes).to.deep.equal([]);
    await registerClient('claude-desktop', 'default', context, observer);
    expect(notes.map((text) => text.split('.')[0])).to.deep.equal([
      'claude-desktop cannot connect by streamable HTTP',
    ]);
    await createGroup('empty', context);
    for (const client of ['codex', 'cursor']) await registerClient(client, 'empty', context, observer);
    expect(notes, 'clients that connect by HTTP').to.have.length(1);
  });

  it('F8, F9 › registerClient › writes the files of all installed variants of a client', async () => {
    const storage = 'config/Code/User/globalStorage/saoudrizwan.claude-dev';
    const [editor, program] = [
      `${storage}/settings/cline_mcp_settings.json`,
      '.cline/data/settings/cline_mcp_settings.json',
    ];
    for (const [signs, expected] of [
      [
        [storage, '.cline'],
        [editor, program],
      ],
      [['.cline'], [program]],
      [[storage], [editor]],
      [[], [editor, program]],
    ] as const) {
      const context = await contextWith();
      const url = await runningWorkload(context, 'notes');
      for (const sign of signs) await mkdir(path.join(context.home, sign), { recursive: true });
      await registerClient('cline', 'default', context);
      for (const file of [editor, program]) {
        const text = await readFile(path.join(context.home, file), 'utf8').catch(() => '');
        expect(text.includes(url), `${file} with ${signs.join(', ')}`).to.equal(
          expected.some((one) => one === file),
        );
      }
      await registerClient('qoder', 'default', context);
      for (const file of ['.qoder/mcp.json', '.qoder/settings.json']) {
        expect(await readFile(path.join(context.home, file), 'utf8'), file).to.include(url);
      }
      const listed = (await listClients(context)).find(({ client }) => client === 'cline');
      expect(listed?.installed).to.equal(true);
    }
  });

  it('registerClient › writes below XDG_CONFIG_HOME for clients that read it', async () => {
    for (const [client, file] of [
      ['opencode', 'opencode/opencode.json'],
      ['amp-cli', 'amp/settings.json'],
      ['goose', 'goose/config.yaml'],
      ['zed', 'zed/settings.json'],
      ['vscode', 'Code/User/mcp.json'],
    ] as const) {
      if (client === 'vscode' && process.platform !== 'linux') continue;
      for (const [value, folder] of [
        ['ABSOLUTE', 'xdg'],
        ['relative', '.config'],
        [undefined, '.config'],
      ] as const) {
        const base = await contextWith();
        const named = value === 'ABSOLUTE' ? path.join(base.home, 'xdg') : value;
        const context = { ...base, environment: { ...base.environment, XDG_CONFIG_HOME: named } };
        const url = await runningWorkload(context, 'notes');
        await registerClient(client, 'default', context);
        expect(await readFile(path.join(context.home, folder, file), 'utf8'), client).to.include(url);
      }
    }
  });

  it('reject unknown clients and groups', async () => {
    const context = await contextWith();
    expect((await caught(() => registerClient('emacs', 'default', context))).code).to.equal(
      'ERR_BAD_ARGUMENT',
    );
    expect((await caught(() => registerClient('cursor', 'none', context))).code).to.equal(
      'ERR_GROUP_UNKNOWN',
    );
    expect((await caught(() => unregisterClient('cursor', 'none', context))).code).to.equal(
      'ERR_GROUP_UNKNOWN',
    );
  });

  it('listClients › shows registered clients, and which ones are installed', async () => {
    const context = await contextWith('cursor');
    await mkdir(path.join(context.home, '.cursor'));
    const clients = await listClients(context);
    const cursor = clients.find(({ client }) => client === 'cursor');
    expect(cursor).to.deep.equal({
      client: 'cursor',
      installed: true,
      groups: ['default'],
      file: path.join(context.home, '.cursor/mcp.json'),
      files: [path.join(context.home, '.cursor/mcp.json')],
    });
    // Claude Code's file is in the home folder itself, which exists without the client.
    expect(clients.find(({ client }) => client === 'claude-code')?.installed).to.equal(false);
  });
});

describe('findWorkloadAddress', () => {
  afterEach(() => folders.removeAll());

  const cases = [
    { transport: 'stdio', proxy_mode: 'sse', expected: 'sse' },
    { transport: 'stdio', proxy_mode: 'streamable-http', expected: 'streamable-http' },
    { transport: 'stdio', proxy_mode: '', expected: 'streamable-http' },
    { transport: 'sse', proxy_mode: '', expected: 'sse' },
    { transport: 'streamable-http', proxy_mode: 'sse', expected: 'streamable-http' },
  ];
  for (const { transport, proxy_mode: mode, expected } of cases) {
    it(`returns ${expected} for a ${transport} workload with proxy mode ${JSON.stringify(mode)}`, async () => {
      const context = await contextWith();
      await runningWorkload(context, 'notes', { transport, proxy_mode: mode });
      expect((await findWorkloadAddress('notes', context))?.transport).to.equal(expected);
    });
  }

  it('returns undefined for a workload that does not run', async () => {
    const context = await contextWith();
    expect(await findWorkloadAddress('notes', context)).to.equal(undefined);
  });
});
