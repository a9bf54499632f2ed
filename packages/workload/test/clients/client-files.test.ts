import { expect } from 'chai';
import { entryFor } from '../../src/clients/client-entry.ts';
import { CLIENTS, type ClientProgram, getClient } from '../../src/clients/client-table.ts';
import { listUnchangedEntries, withEntry, withoutEntry } from '../../src/clients/edit-client-file.ts';
import { textOfEdit } from './text-of-edit.ts';

const URL_HERE = 'http://127.0.0.1:18080/mcp';
const address = { name: 'notes', url: URL_HERE, transport: 'streamable-http' } as const;

async function add(client: ClientProgram, text: string, over: object = {}): Promise<string> {
  const at = { ...address, ...over };
  return textOfEdit(await withEntry(client, text, entryFor(client, at), at.url));
}

async function remove(client: ClientProgram, text: string, name = 'notes', url = URL_HERE): Promise<string> {
  return textOfEdit(await withoutEntry(client, text, name, url));
}

const JSON_BEFORE = `{
  // of the editor
  "theme": "dark", /* never light */
  "SERVERS": {
    "mine": { "command": "npx", "args": ["a"], }, // keep
    "other": {
      "URL": "https://mcp.acme.example" // the real one
    } // last
  },
  "after": [1, 2,],
}
`;

const YAML_MAP_BEFORE = `# goose
GOOSE_PROVIDER: openai   # which
extensions:
  developer:   # built in
    enabled: true
    type: builtin
    display: "a: b"

# below
last: [1, 2]
`;

const YAML_LIST_BEFORE = `name: My Config   # mine
mcpServers:
  # the first
  - name: sqlite
    command: npx
    args:
      - -y
      - mcp-sqlite   # pinned?
models: []
`;

const TOML_BEFORE = `# top
model   =  "o3"   # my model

[mcp_servers.mine]     # mine
command = "npx"
args = [ "a",
  "[not.a.head]", # two
]

[other]
text = """
[[mcp_servers]]
"""
`;

const TOML_LIST_BEFORE = `active = 'x'

[[mcp_servers]]   # first
name = "mine"
transport = "stdio"

[mcp_servers.env]
KEY = "v"

[z]
`;

function beforeOf({ format, servers, entries }: ClientProgram): string {
  const urlField = Object.hasOwn(entries['streamable-http'] ?? {}, 'serverUrl') ? 'serverUrl' : 'url';
  if (format === 'json-map') return JSON_BEFORE.replace('SERVERS', servers).replace('URL', urlField);
  return {
    'yaml-map': YAML_MAP_BEFORE,
    'yaml-list': YAML_LIST_BEFORE,
    'toml-map': TOML_BEFORE,
    'toml-list': TOML_LIST_BEFORE,
  }[format];
}

/** Sorts the lines, because an update may change the order of fields. */
function sortLines(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/,$/, ''));
  return lines.toSorted().join('\n');
}

/** The command in the entry of a client that does not support the transport of the workload. */
const COMMAND = { command: 'portolan', args: ['proxy', 'stdio', 'notes'] };

/** Fields that each client's entry must have. */
const ADDED: Readonly<Record<string, readonly [streamable: object, sse: object]>> = {
  vscode: [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  'vscode-insider': [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  'vscode-server': [{ url: 'U' }, { url: 'U' }],
  cursor: [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  'claude-code': [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  cline: [
    { url: 'U', type: 'streamableHttp' },
    { url: 'U', type: 'sse' },
  ],
  'roo-code': [
    { url: 'U', type: 'streamable-http' },
    { url: 'U', type: 'sse' },
  ],
  windsurf: [
    { serverUrl: 'U', type: 'http' },
    { serverUrl: 'U', type: 'sse' },
  ],
  'windsurf-jetbrains': [
    { serverUrl: 'U', type: 'http' },
    { serverUrl: 'U', type: 'sse' },
  ],
  'amp-cli': [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  'lm-studio': [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  trae: [{ url: 'U' }, { url: 'U' }],
  kiro: [{ url: 'U' }, { url: 'U' }],
  antigravity: [{ serverUrl: 'U' }, { serverUrl: 'U' }],
  'gemini-cli': [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  zed: [{ url: 'U' }, COMMAND],
  opencode: [
    { url: 'U', type: 'remote' },
    { url: 'U', type: 'remote' },
  ],
  'kimi-cli': [
    { url: 'U', transport: 'http' },
    { url: 'U', transport: 'sse' },
  ],
  factory: [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  'copilot-cli': [
    { url: 'U', type: 'http', tools: ['*'] },
    { url: 'U', type: 'sse', tools: ['*'] },
  ],
  qoder: [
    { url: 'U', type: 'http' },
    { url: 'U', type: 'sse' },
  ],
  goose: [
    { name: 'notes', enabled: true, timeout: 60, description: '', uri: 'U', type: 'streamable_http' },
    {
      name: 'notes',
      enabled: true,
      timeout: 60,
      description: '',
      cmd: 'portolan',
      args: ['proxy', 'stdio', 'notes'],
      type: 'stdio',
    },
  ],
  continue: [
    { name: 'notes', url: 'U', type: 'streamable-http' },
    { name: 'notes', url: 'U', type: 'sse' },
  ],
  'mistral-vibe': [
    { name: 'notes', url: 'U', transport: 'streamable-http' },
    { name: 'notes', transport: 'stdio', ...COMMAND },
  ],
  codex: [{ url: 'U' }, COMMAND],
  'claude-desktop': [COMMAND, COMMAND],
};

describe('withEntry', () => {
  it('is tested with every supported client', () => {
    expect(CLIENTS.map(({ id }) => id)).to.have.members(Object.keys(ADDED));
  });

  it('F1 › names the transport in every entry of gemini-cli', () => {
    const client = getClient('gemini-cli');
    for (const [transport, type] of [
      ['streamable-http', 'http'],
      ['sse', 'sse'],
    ] as const) {
      expect(entryFor(client, { ...address, transport }).fields).to.deep.equal({ url: URL_HERE, type });
    }
  });

  it('keeps two comments on one line apart', async () => {
    const before = '{"mcpServers": {\n  "mine": {}, /* 1 */ }, "zed": 1 /* 2 */\n}\n';
    const after = await add(getClient('cursor'), before);
    expect(after.split('\n').slice(1, 3)).to.deep.equal(['  "mine": {},', '  "notes": {']);
    expect(await remove(getClient('cursor'), after)).to.equal(before);
  });

  for (const client of CLIENTS) {
    const [streamable, sse] = ADDED[client.id] ?? [];

    it(`writes the fields of ${client.id} for both transports`, () => {
      const wanted = (fields: unknown): unknown =>
        JSON.parse(JSON.stringify(fields).replaceAll('"U"', JSON.stringify(URL_HERE)));
      expect(entryFor(client, address).fields).to.deep.equal(wanted(streamable));
      expect(entryFor(client, { ...address, transport: 'sse' }).fields).to.deep.equal(wanted(sse));
    });

    it(`updates and removes every entry that any version wrote for ${client.id}`, async () => {
      const addresses = [address, { ...address, transport: 'sse' }] as const;
      const former = (client.former ?? []).map((stdio) => ({ ...client, entries: { stdio } }));
      const before = beforeOf(client);
      const files = await Promise.all(
        [client, ...former].flatMap((one) => addresses.map(async (at) => await add(one, before, at))),
      );
      for (const file of files) {
        for (const at of addresses)
          expect(sortLines(await add(client, file, at))).to.equal(sortLines(await add(client, before, at)));
        expect(await remove(client, file)).to.equal(before);
        const found = await listUnchangedEntries(client, file);
        expect(found.map(({ name }) => name)).to.deep.equal(['notes']);
      }
    });
  }

  for (const client of CLIENTS.filter(({ entries }) => entries['streamable-http'] !== undefined)) {
    it(`adds lines to the file of ${client.id} and changes no other line`, async () => {
      const before = beforeOf(client);
      const after = await add(client, before);
      expect(after).to.include(URL_HERE);
      expect(after).to.not.equal(before);
      // The update may change existing lines only by a comma.
      const kept = after.split('\n').map((line) => line.replace(/,(?=\s*(?:\/\/.*)?$)/, ''));
      const left = [...kept];
      for (const line of before.split('\n').map((one) => one.replace(/,(?=\s*(?:\/\/.*)?$)/, ''))) {
        const at = left.indexOf(line);
        expect(at, JSON.stringify(line)).to.be.at.least(0);
        left.splice(0, at + 1);
      }
    });

    it(`restores the file of ${client.id} byte for byte on removal`, async () => {
      const before = beforeOf(client);
      expect(await remove(client, await add(client, before))).to.equal(before);
    });

    it(`leaves the file of ${client.id} unchanged the second time, and updates it when the transport changes`, async () => {
      const once = await add(client, beforeOf(client));
      expect(await add(client, once)).to.equal(once);
      const sseUrl = 'http://127.0.0.1:18080/sse';
      const changed = await add(client, once, { transport: 'sse', url: sseUrl });
      const isReachable = client.entries.sse !== undefined;
      expect(changed)
        .to.include(isReachable ? sseUrl : 'portolan')
        .and.not.include(URL_HERE);
      expect(await remove(client, changed)).to.equal(beforeOf(client));
    });

    it(`creates a file for ${client.id} if there is none`, async () => {
      const made = await add(client, '');
      expect(made).to.include(URL_HERE);
      expect(await add(client, made)).to.equal(made);
      expect(await remove(client, made)).to.not.include('notes');
    });

    it(`leaves an invalid file of ${client.id} unchanged`, async () => {
      const text = client.format.startsWith('json')
        ? '{"a": '
        : client.format.startsWith('yaml')
          ? 'a: [1\nb: {'
          : 'a = [1\n[x';
      const edited = await withEntry(client, text, entryFor(client, address), URL_HERE);
      expect(edited)
        .to.have.property('fault')
        .that.matches(/^it is not valid (?:JSON|YAML|TOML)/);
    });

    it(`leaves an entry that a user wrote for ${client.id} unchanged`, async () => {
      const mine = await add(client, beforeOf(client), { url: 'https://mcp.acme.example/mcp' });
      const edited = await withEntry(client, mine, entryFor(client, address), URL_HERE);
      expect(edited).to.have.property('fault').that.includes('another server named notes');
      expect(await remove(client, mine)).to.equal(mine);
    });
  }

  describe('for a client that starts its servers', () => {
    const client = getClient('claude-desktop');
    const launcher = ['/usr/bin/node', '/opt/portolan.js'];
    const entry = entryFor(client, address, launcher);

    it('writes the command `portolan proxy stdio`', () => {
      expect(entry.fields).to.deep.equal({
        command: '/usr/bin/node',
        args: ['/opt/portolan.js', 'proxy', 'stdio', 'notes'],
      });
      expect(entryFor(client, address).fields).to.deep.equal({
        command: 'portolan',
        args: ['proxy', 'stdio', 'notes'],
      });
    });

    it('updates the command, and restores the file byte for byte on removal', async () => {
      const before = beforeOf(client);
      const once = textOfEdit(await withEntry(client, before, entry, URL_HERE));
      expect(textOfEdit(await withEntry(client, once, entry, URL_HERE))).to.equal(once);
      const moved = await withEntry(client, once, entryFor(client, address, ['/bin/portolan']), URL_HERE);
      expect(textOfEdit(moved)).to.include('/bin/portolan').and.not.include('/opt/portolan.js');
      expect(await remove(client, textOfEdit(moved))).to.equal(before);
    });

    it('leaves a command that a user wrote unchanged', async () => {
      const mine = '{ "mcpServers": { "notes": { "command": "npx", "args": ["notes"] } } }';
      const edited = await withEntry(client, mine, entry, URL_HERE);
      expect(edited).to.have.property('fault').that.includes('another server named notes');
      expect(await remove(client, mine)).to.equal(mine);
    });
  });

  it('keeps fields that a user added to an entry', async () => {
    const client = getClient('cursor');
    const before = `{ "mcpServers": { "notes": { "url": "http://127.0.0.1:9/mcp", /* mine */ "autoApprove": ["x"] } } }`;
    expect(await add(client, before)).to.equal(
      `{ "mcpServers": { "notes": { "url": "${URL_HERE}", /* mine */ "autoApprove": ["x"], "type": "http" } } }`,
    );
  });

  it('adds a member after the comment of the last member', async () => {
    const client = getClient('vscode-server');
    const before = '{\n\t"servers": {\n\t\t"a": {} // of a\n\t}\n}\n';
    expect(await add(client, before)).to.equal(
      `{\n\t"servers": {\n\t\t"a": {}, // of a\n\t\t"notes": {\n\t\t\t"url": "${URL_HERE}"\n\t\t}\n\t}\n}\n`,
    );
  });

  it('keeps the byte order mark and Windows line endings', async () => {
    for (const id of ['cursor', 'goose', 'continue', 'mistral-vibe', 'codex']) {
      const client = getClient(id);
      const before = `\uFEFF${beforeOf(client).replaceAll('\n', '\r\n')}`;
      const after = await add(client, before);
      expect(after, id)
        .to.match(/^\uFEFF/)
        .and.not.match(/[^\r]\n/);
      expect(await remove(client, after), id).to.equal(before);
    }
  });

  const odd = ['__proto__', 'constructor', 'a.b', '1.5', 'true', '-x', 'toString', '..a', '1', 'null'];
  for (const id of ['cursor', 'goose', 'continue', 'mistral-vibe', 'codex']) {
    it(`adds and removes entries with special names, and rejects only __proto__ (${id})`, async () => {
      const client = getClient(id);
      for (const name of odd) {
        const edited = await withEntry(
          client,
          beforeOf(client),
          entryFor(client, { ...address, name }),
          URL_HERE,
        );
        if ('fault' in edited) {
          expect(name, edited.fault).to.equal('__proto__');
          continue;
        }
        expect(edited.text).to.include(URL_HERE);
        expect(await remove(client, edited.text, name), name).to.equal(beforeOf(client));
      }
    });
  }

  const layouts: readonly { readonly id: string; readonly before: string; readonly exact: boolean }[] = [
    { id: 'cursor', before: '{"mcpServers":{}}', exact: true },
    { id: 'cursor', before: '{"mcpServers":{"a":{"url":"x"}}}', exact: true },
    { id: 'cursor', before: '// only a comment\n', exact: false },
    { id: 'cursor', before: '{}', exact: false },
    { id: 'cursor', before: '{ "mcpServers": { /* none yet */ } }', exact: true },
    { id: 'cursor', before: '{ "mcpServers": {\n // none yet\n } }', exact: true },
    { id: 'cursor', before: '{ "mcpServers": { "a": 1, // x\n "b": 2 } }', exact: true },
    { id: 'goose', before: 'extensions: {}\n', exact: true },
    { id: 'goose', before: 'extensions:\n', exact: false },
    { id: 'goose', before: 'extensions: # none\nb: 1\n', exact: false },
    { id: 'goose', before: 'extensions: {a: {b: 1}, c: {d: 2}}\n', exact: true },
    { id: 'goose', before: 'a: |\n  text\n  more\n', exact: false },
    { id: 'goose', before: 'extensions:\n    a:\n        text: |\n            x\n\n', exact: true },
    { id: 'goose', before: 'extensions:\n  a:\n    b: 1', exact: true },
    { id: 'goose', before: '# nothing\n', exact: false },
    { id: 'continue', before: 'mcpServers:\n- name: a\n  url: x # y\nz: 1\n', exact: true },
    { id: 'continue', before: 'mcpServers: []\n', exact: true },
    { id: 'continue', before: 'mcpServers: [{name: a}]', exact: true },
    { id: 'continue', before: '---\nname: x\n', exact: false },
    { id: 'codex', before: 'a = 1', exact: true },
    { id: 'codex', before: 'a = 1\n\n\n', exact: true },
    { id: 'codex', before: '# c\n', exact: true },
    { id: 'codex', before: 'mcp_servers = { a = { url = "x" } }\n', exact: true },
    { id: 'codex', before: '[mcp_servers]\na.url = "x" # keep\n[z]\n', exact: true },
    { id: 'codex', before: '[\'mcp_servers\'."a"]\nd = 1979-05-27T07:32:00Z\n', exact: true },
    { id: 'mistral-vibe', before: 'mcp_servers = []\nb = 1\n', exact: false },
    {
      id: 'mistral-vibe',
      before: '[[mcp_servers]]\nname = "a"\n[[mcp_servers]]\nname = "b"\n[z]\n',
      exact: true,
    },
  ];
  for (const { id, before, exact } of layouts) {
    it(`adds to and removes from ${JSON.stringify(before)} of ${id}`, async () => {
      const client = getClient(id);
      const after = await add(client, before);
      expect(after).to.include(URL_HERE);
      const removed = await remove(client, after);
      if (exact) expect(removed).to.equal(before);
      else expect(removed).to.not.include(URL_HERE);
      expect(await remove(client, removed)).to.equal(removed);
    });
  }
});
