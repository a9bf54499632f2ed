import { expect } from 'chai';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { registerClient } from '../../src/clients/register-clients.ts';
import {
  changeGroupClients,
  createGroup,
  deleteGroup,
  findGroup,
  getGroup,
  listGroupNames,
  listGroups,
} from '../../src/groups/groups.ts';
import { removeGroup, workloadsInGroup } from '../../src/run/operations/remove-group.ts';
import { caught } from '../../../../test/support/caught.ts';
import { keepContext, runningWorkload } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();
const never = new AbortController().signal;

describe('groups', () => {
  afterEach(() => folders.removeAll());

  it('always include the default group, which cannot be created or deleted', async () => {
    const context = keepContext(await folders.make());
    expect(await listGroups(context)).to.deep.equal([{ name: 'default', registeredClients: [] }]);
    expect((await caught(() => createGroup('default', context))).code).to.equal('ERR_RESOURCE_EXISTS');
    expect((await caught(() => deleteGroup('default', context))).code).to.equal('ERR_SETTING');
    expect(
      (await caught(() => removeGroup('default', { withWorkloads: true }, context, never))).code,
    ).to.equal('ERR_SETTING');
  });

  it("are created once under concurrency, in ToolHive's format", async () => {
    const context = keepContext(await folders.make());
    const made = await Promise.allSettled([createGroup('team a', context), createGroup('team a', context)]);
    expect(made.map(({ status }) => status).toSorted()).to.deep.equal(['fulfilled', 'rejected']);
    const file = path.join(context.directories.groups, 'team a.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({
      name: 'team a',
      registered_clients: [],
    });
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(await listGroupNames(context)).to.deep.equal(['default', 'team a']);
    await deleteGroup('team a', context);
    expect(await findGroup('team a', context)).to.equal(undefined);
    expect(await readdir(context.directories.groups)).to.deep.equal([]);
  });

  for (const name of ['', 'Team', ' a', 'a  b', 'a/b', '../a', 'ä', 'a.b', 'x'.repeat(101)]) {
    it(`reject the name ${JSON.stringify(name.slice(0, 10))}`, async () => {
      const context = keepContext(await folders.make());
      expect((await caught(() => createGroup(name, context))).code).to.equal('ERR_SETTING');
      expect(await findGroup(name, context)).to.equal(undefined);
      expect((await caught(() => getGroup(name, context))).code).to.equal('ERR_GROUP_UNKNOWN');
      expect((await caught(() => deleteGroup(name, context))).code).to.equal('ERR_GROUP_UNKNOWN');
    });
  }

  it('keep unknown fields of their file', async () => {
    const context = keepContext(await folders.make());
    await mkdir(context.directories.groups, { recursive: true });
    const file = path.join(context.directories.groups, 'mine.json');
    await writeFile(file, '{"name":"mine","registered_clients":["cursor"],"skills":["x"]}');
    await changeGroupClients('mine', (clients) => [...clients, 'codex', 'cursor'], context);
    expect(JSON.parse(await readFile(file, 'utf8'))).to.deep.equal({
      name: 'mine',
      registered_clients: ['cursor', 'codex'],
      skills: ['x'],
    });
  });

  for (const text of ['', '{', '[]', '{"name":"other"}', '{"registered_clients":"x"}']) {
    it(`with the file content ${JSON.stringify(text)} cause ERR_STATE_DAMAGED and stay unchanged until they are deleted`, async () => {
      const context = keepContext(await folders.make());
      await mkdir(context.directories.groups, { recursive: true });
      const file = path.join(context.directories.groups, 'mine.json');
      await writeFile(file, text);
      expect((await caught(() => getGroup('mine', context))).code).to.equal('ERR_STATE_DAMAGED');
      expect((await caught(() => changeGroupClients('mine', () => [], context))).code).to.equal(
        'ERR_STATE_DAMAGED',
      );
      expect(await readFile(file, 'utf8')).to.equal(text);
      await removeGroup('mine', { withWorkloads: false }, context, never);
      expect(await readdir(context.directories.groups)).to.deep.equal([]);
    });
  }

  it('lose no client when several are registered concurrently', async () => {
    const context = keepContext(await folders.make());
    const ids = ['cursor', 'codex', 'zed', 'kiro', 'goose'];
    await Promise.all(
      ids.map(async (id) => await changeGroupClients('default', (all) => [...all, id], context)),
    );
    expect((await getGroup('default', context)).registeredClients).to.have.members(ids);
  });
});

describe('removeGroup', () => {
  afterEach(() => folders.removeAll());

  it('moves the workloads to the default group, and their entries to its clients', async () => {
    const context = keepContext(await folders.make());
    await createGroup('team', context);
    const url = await runningWorkload(context, 'notes', { group: 'team' });
    await registerClient('cursor', 'team', context);
    await registerClient('codex', 'default', context);
    const cursor = path.join(context.home, '.cursor', 'mcp.json');
    const codex = path.join(context.home, '.codex', 'config.toml');
    expect(await readFile(cursor, 'utf8')).to.include(url);
    const removed = await removeGroup('team', { withWorkloads: false }, context, never);
    expect(removed).to.deep.equal({ removed: true, moved: ['notes'], results: [], warnings: [] });
    expect(await workloadsInGroup('default', context)).to.deep.equal(['notes']);
    expect(await findGroup('team', context)).to.equal(undefined);
    expect(await readFile(cursor, 'utf8')).to.not.include(url);
    expect(await readFile(codex, 'utf8')).to.include(url);
  });

  it('rejects an unknown group', async () => {
    const context = keepContext(await folders.make());
    expect((await caught(() => removeGroup('none', { withWorkloads: false }, context, never))).code).to.equal(
      'ERR_GROUP_UNKNOWN',
    );
  });
});
