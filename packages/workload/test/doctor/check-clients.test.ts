import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'chai';
import { registerClient, unregisterClient } from '../../src/clients/register-clients.ts';
import { addToClient } from '../../src/clients/update-clients.ts';
import { checkClients } from '../../src/doctor/check-clients.ts';
import { repairFindings } from '../../src/doctor/examine.ts';
import { finishRemovals } from '../../src/run/operations/finish-removals.ts';
import { removeWorkloads } from '../../src/run/operations/remove-workloads.ts';
import { storeSecrets } from '../../src/secrets/store-secrets.ts';
import { keepContext, MemoryStore, runningWorkload } from '../support/keep-context.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();
/** URL of port 1 (tcpmux), on which nothing listens. */
const DEAD = 'http://127.0.0.1:1/mcp';
const FILES = [
  ['cursor', '.cursor/mcp.json'],
  ['claude-desktop', 'config/Claude/claude_desktop_config.json'],
  ['goose', 'config/goose/config.yaml'],
  ['continue', '.continue/config.yaml'],
  ['codex', '.codex/config.toml'],
  ['mistral-vibe', '.vibe/config.toml'],
] as const;

describe('checkClients', () => {
  afterEach(() => folders.removeAll());

  for (const [client, file] of FILES) {
    it(`${client} › finds and removes the entry of a removed workload`, async () => {
      const context = keepContext(await folders.make());
      await addToClient(client, { name: 'notes', url: DEAD, transport: 'streamable-http' }, context);
      const before = await readFile(path.join(context.home, file), 'utf8');
      const findings = await checkClients(context);
      expect(findings.map(({ level, found }) => [level, found.includes('entry notes')])).to.deep.equal([
        ['problem', true],
      ]);
      expect((await repairFindings(findings, signal))[0]?.repaired).to.equal(true);
      expect(await readFile(path.join(context.home, file), 'utf8')).to.not.include('notes');
      expect(await readFile(path.join(context.home, `${file}.bak`), 'utf8')).to.equal(before);
      expect((await checkClients(context)).map(({ level }) => level)).to.deep.equal(['fine']);
    });
  }

  it('does not report entries that a user has changed, or of an existing workload', async () => {
    const context = keepContext(await folders.make());
    await runningWorkload(context, 'weather');
    await addToClient('cursor', { name: 'weather', url: DEAD, transport: 'streamable-http' }, context);
    const file = path.join(context.home, '.cursor/mcp.json');
    const content = JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, object> };
    content.mcpServers['own'] = { type: 'http', url: DEAD, headers: { 'x-key': '1' } };
    content.mcpServers['far'] = { type: 'http', url: 'https://mcp.acme.example/mcp' };
    await writeFile(file, JSON.stringify(content));
    expect((await checkClients(context)).map(({ level }) => level)).to.deep.equal(['fine']);
  });

  it('reports an entry whose address a program listens on, without a repair', async () => {
    const context = keepContext(await folders.make());
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const url = `http://127.0.0.1:${port}/mcp`;
    await addToClient('cursor', { name: 'notes', url, transport: 'streamable-http' }, context);
    const [finding] = await checkClients(context);
    expect([finding?.level, finding?.repair]).to.deep.equal(['notice', undefined]);
    server.close();
  });

  it('client remove › removes entries of removed workloads', async () => {
    const context = keepContext(await folders.make());
    await registerClient('cursor', 'default', context);
    await addToClient('cursor', { name: 'notes', url: DEAD, transport: 'streamable-http' }, context);
    expect((await unregisterClient('cursor', undefined, context)).warnings).to.deep.equal([]);
    expect(await readFile(path.join(context.home, '.cursor/mcp.json'), 'utf8')).to.not.include('notes');
  });

  it('reports a problem after an unfinished removal, until the secrets are deleted', async () => {
    let isFull = true;
    class FullStore extends MemoryStore {
      override async delete(name: string): Promise<boolean> {
        if (isFull) throw new Error('no space left on device');
        return await super.delete(name);
      }
    }
    const store = new FullStore();
    const context = keepContext(await folders.make(), { store });
    await runningWorkload(context, 'notes', { secrets: ['HEADER_notes_key,target=KEY'] });
    await storeSecrets([{ name: 'HEADER_notes_key', value: 'v' }], context, { scope: 'workloads' });
    await context.store.remove('notes', { keepsRecords: true });
    expect(await finishRemovals(context, signal)).to.deep.equal(['notes']);
    const [finding] = await checkClients(context);
    if (finding === undefined) throw new Error('nothing was found');
    expect(finding.found).to.equal('The removal of workload notes is unfinished. Remaining: secrets.');
    expect((await repairFindings([finding], signal))[0]?.repaired).to.include('no space left on device');
    isFull = false;
    expect((await repairFindings(await checkClients(context), signal))[0]?.repaired).to.equal(true);
    expect(store.secrets.size).to.equal(0);
    expect((await checkClients(context)).map(({ level }) => level)).to.deep.equal(['fine']);
  });

  it('removeWorkloads › removes the secrets that an earlier removal failed to remove', async () => {
    let isFull = true;
    class FullStore extends MemoryStore {
      override async delete(name: string): Promise<boolean> {
        if (isFull) throw new Error('no space left on device');
        return await super.delete(name);
      }
    }
    const store = new FullStore();
    const context = keepContext(await folders.make(), { store });
    await runningWorkload(context, 'notes', { secrets: ['HEADER_notes_key,target=KEY'] });
    await storeSecrets([{ name: 'HEADER_notes_key', value: 'v' }], context, { scope: 'workloads' });
    const remove = async (): Promise<unknown> => {
      const [result] = await removeWorkloads(['notes'], context, signal);
      return result?.error?.code ?? result?.notes;
    };
    expect(String(await remove())).to.include('"portolan rm notes" tries again');
    expect(String(await remove())).to.include('no space left on device');
    isFull = false;
    expect(await remove()).to.deep.equal([]);
    expect(store.secrets.size).to.equal(0);
    expect(await context.store.listUnfinished()).to.deep.equal([]);
  });

  it('finishRemovals › keeps the entry of a new workload of the same name', async () => {
    const context = keepContext(await folders.make());
    await registerClient('cursor', 'default', context);
    await runningWorkload(context, 'notes');
    await context.store.remove('notes', { keepsRecords: true });
    const url = await runningWorkload(context, 'notes');
    await addToClient('cursor', { name: 'notes', url, transport: 'streamable-http' }, context);
    expect(await finishRemovals(context, signal)).to.deep.equal([]);
    expect(await readFile(path.join(context.home, '.cursor/mcp.json'), 'utf8')).to.include(url);
  });

  it('finishRemovals › keeps the record while a client file cannot be changed', async () => {
    const context = keepContext(await folders.make());
    await registerClient('cursor', 'default', context);
    await runningWorkload(context, 'notes');
    await mkdir(path.join(context.home, '.cursor'), { recursive: true });
    await writeFile(path.join(context.home, '.cursor/mcp.json'), '{ not json');
    await context.store.remove('notes', { keepsRecords: true });
    expect(await finishRemovals(context, signal)).to.deep.equal([]);
    expect(
      (await context.store.listUnfinished()).map(({ name, hasReferences }) => [name, hasReferences]),
    ).to.deep.equal([['notes', true]]);
    await writeFile(path.join(context.home, '.cursor/mcp.json'), '{}');
    expect(await finishRemovals(context, signal)).to.deep.equal(['notes']);
  });
});
