import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { CLIENTS, type ClientProgram, PLACEHOLDERS } from '../../src/clients/client-table.ts';
import { listEntries, withEntry, withReplacements } from '../../src/clients/edit-client-file.ts';
import { locateFile } from '../../src/clients/locate-client.ts';
import { findForeignEntries } from '../../src/clients/move-entries.ts';
import { entryFor } from '../../src/clients/client-entry.ts';

const ADDRESS = { name: 'tools', url: 'http://127.0.0.1:18000/mcp', transport: 'streamable-http' } as const;

/** Returns the text of a client's file with one server that the client starts as a program. */
async function fileWithProgram(client: ClientProgram): Promise<string> {
  const { command, args, words, name } = PLACEHOLDERS;
  const values = new Map<unknown, string | readonly string[]>([
    [command, 'npx'],
    [args, ['@acme/notes']],
    [words, ['npx', '@acme/notes']],
    [name, 'tools'],
  ]);
  const fields = Object.entries(client.entries.stdio).map(([key, value]) => [
    key,
    values.get(value) ?? value,
  ]);
  const entry = { name: 'tools', fields: Object.fromEntries(fields), without: [] };
  const edit = await withEntry(client, '', entry, '');
  if ('fault' in edit) throw new Error(edit.fault);
  return edit.text;
}

describe('servers in files of clients', () => {
  for (const client of CLIENTS) {
    it(`listEntries › reads and replaces a server when the file is that of ${client.id}`, async () => {
      const text = await fileWithProgram(client);
      const entries = await listEntries(client, text);
      if ('fault' in entries) throw new Error(entries.fault);
      expect(entries.map(({ name, isOurs }) => ({ name, isOurs }))).to.deep.equal([
        { name: 'tools', isOurs: false },
      ]);
      const [former] = entries;
      if (former === undefined) throw new Error('the file has a server');
      const entry = entryFor(client, ADDRESS);
      const replaced = await withReplacements(client, text, [{ former, entry }]);
      if ('fault' in replaced) throw new Error(replaced.fault);
      expect(replaced.text).not.to.include('@acme/notes');
      const now = await listEntries(client, replaced.text);
      expect(now).to.have.length(1).and.to.have.nested.property('[0].isOurs', true);
    });
  }

  it('withReplacements › returns a fault when an entry was edited or the name is taken', async () => {
    const [client] = CLIENTS;
    if (client === undefined) throw new Error('the table has clients');
    const text = '{ "servers": { "a": { "command": "npx", "args": ["x"] }, "tools": { "command": "y" } } }';
    const entry = entryFor(client, ADDRESS);
    const former = { name: 'a', value: { command: 'npx', args: ['x'] }, isOurs: false };
    const edited = { ...former, value: { command: 'npx', args: ['other'] } };
    expect(await withReplacements(client, text, [{ former: edited, entry }])).to.deep.equal({
      fault: 'a was edited in the meantime',
    });
    expect(await withReplacements(client, text, [{ former, entry }])).to.deep.equal({
      fault: 'it already has another server named tools',
    });
  });

  it('findForeignEntries › leaves out workloads, and warns of a file that it cannot parse', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'portolan-clients-'));
    try {
      const url = 'http://127.0.0.1:18000/mcp';
      const store = { list: async () => [{ name: 'tools', state: { url } }] };
      // SAFETY: only these members are used.
      const context = { home, environment: {}, store } as unknown as Parameters<typeof findForeignEntries>[1];
      const host = { home, environment: {}, platform: process.platform };
      const write = async (id: string, text: string): Promise<string> => {
        const client = CLIENTS.find((one) => one.id === id);
        const file = locateFile(client?.files[0] ?? { path: '' }, host);
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, text);
        return await readFile(file, 'utf8');
      };
      const servers = {
        tools: { url },
        bridge: { command: 'portolan', args: ['proxy', 'stdio', 'bridge'] },
        local: { url: 'http://127.0.0.1:9000/mcp' },
        notes: { command: 'npx', args: ['@acme/notes'] },
      };
      await write('cursor', JSON.stringify({ mcpServers: servers }));
      await write('codex', 'not toml [');
      const { entries, warnings } = await findForeignEntries(['all'], context);
      expect(entries.map(({ client, name }) => `${client} ${name}`)).to.deep.equal([
        'cursor local',
        'cursor notes',
      ]);
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/^codex: .*config\.toml was not read: /);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});
