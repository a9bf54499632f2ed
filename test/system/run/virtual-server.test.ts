import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { TOOL_PROGRAM } from './support/tool-program.ts';

const SOON = { withinMs: 60_000 };

describe('run --members', function () {
  this.timeout(240_000);
  let user: WorkloadUser;
  let desk: string;
  /** Folder of the members file, which relative paths in it begin at. */
  let folder: string;

  before(async function () {
    user = await WorkloadUser.open(this);
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-members-'));
    await writeFile(path.join(folder, 'tool.js'), TOOL_PROGRAM);
  });
  beforeEach(() => {
    desk = `desk-${randomBytes(4).toString('hex')}`;
  });
  afterEach(async () => await user.removeLeft());
  after(async () => {
    await user.close();
    await rm(folder, { recursive: true, force: true });
  });

  const server = (who: string, tools = 'say', file = 'tool.js'): object => ({
    run: 'portolan-test/node',
    transport: 'stdio',
    args: ['node', `/srv/${file}`],
    env: { WHO: who, TOOLS: tools },
    volumes: ['./tool.js:/srv/tool.js:ro'],
    permission_profile: 'none',
  });

  async function removeAll(...names: readonly string[]): Promise<void> {
    await user.done('rm', ...names);
    // The mount that hides ignored files outlives workloads.
    await user.removeFiles('data/portolan/statuses/empty');
    await user.expectNoTraces();
  }

  async function writeMembers(members: object): Promise<void> {
    await writeFile(path.join(folder, 'desk.json'), JSON.stringify({ members }));
  }

  async function toolsAt(url: string): Promise<readonly string[]> {
    return await withClient(url, async (client) => (await client.listTools()).tools.map(({ name }) => name));
  }

  async function expectTools(url: string, names: readonly string[]): Promise<void> {
    await eventually(async () => expect(await toolsAt(url)).to.deep.equal(names), SOON);
  }

  async function stateOf(name: string): Promise<{
    readonly process_id: number;
    readonly notice?: string;
    readonly members: Readonly<Record<string, { readonly status: string; readonly last_error?: string }>>;
  }> {
    const file = path.join(user.root, 'data/portolan/statuses', `${name}.json`);
    // SAFETY: Portolan writes the file. A test that reads a missing field fails.
    return JSON.parse(await readFile(file, 'utf8')) as Awaited<ReturnType<typeof stateOf>>;
  }

  it('serves workloads, servers of its own and remote servers, and removes all of them', async () => {
    const remote = await openRemote();
    try {
      const mount = `${path.join(folder, 'tool.js')}:/srv/tool.js:ro`;
      await user.run(
        `--name=${desk}-notes`,
        '--transport=stdio',
        '-eWHO=notes',
        `-v${mount}`,
        'portolan-test/node',
        '--',
        'node',
        '/srv/tool.js',
      );
      await writeMembers({
        notes: { workload: `${desk}-notes` },
        alpha: server('alpha', 'say,sing'),
        linear: { url: remote.url, forward_headers: { 'X-Team': 'desk' } },
      });
      const url = await user.run(`--members=${path.join(folder, 'desk.json')}`, `--name=${desk}`);
      await expectTools(url, ['notes_say', 'alpha_say', 'alpha_sing', 'linear_issues']);
      expect(await call(url, 'notes_say')).to.match(/^notes say /);
      expect(await call(url, 'alpha_sing')).to.match(/^alpha sing /);
      expect(await call(url, 'linear_issues')).to.equal('issues of desk');
      await user.done('stop', `${desk}-notes`);
      await expectTools(url, ['alpha_say', 'alpha_sing', 'linear_issues']);
      await user.done('start', `${desk}-notes`);
      await expectTools(url, ['notes_say', 'alpha_say', 'alpha_sing', 'linear_issues']);
      await removeAll(desk, `${desk}-notes`);
    } finally {
      remote.server.close();
    }
  });

  it('starts with a broken member, and shows its error', async () => {
    await writeMembers({ alpha: server('alpha'), broken: server('broken', 'say', 'missing.js') });
    const url = await user.run(`--members=${path.join(folder, 'desk.json')}`, `--name=${desk}`);
    await expectTools(url, ['alpha_say']);
    await eventually(async () => {
      const { broken, alpha } = (await stateOf(desk)).members;
      expect(alpha?.status).to.equal('available');
      expect(broken?.status).to.be.oneOf(['unavailable', 'failing']);
      expect(broken?.last_error).to.include('exit');
    }, SOON);
    const log = await readFile(path.join(user.root, 'data/portolan/logs', desk, 'broken.server.log'), 'utf8');
    expect(log).to.include('missing.js');
    await removeAll(desk);
  });

  it('applies a changed file, keeps unchanged members, and ignores a broken file', async () => {
    await writeMembers({ alpha: server('alpha') });
    const url = await user.run(`--members=${path.join(folder, 'desk.json')}`, `--name=${desk}`);
    await expectTools(url, ['alpha_say']);
    const alpha = await withClient(url, async (client) => {
      const before = await textOf(client, 'alpha_say');
      await writeMembers({ beta: server('beta'), alpha: server('alpha') });
      await expectTools(url, ['beta_say', 'alpha_say']);
      expect(await textOf(client, 'alpha_say')).to.equal(before);
      return before;
    });
    expect(alpha).to.match(/^alpha say /);
    await writeFile(path.join(folder, 'desk.json'), '{ "members": ');
    await eventually(
      async () => expect((await stateOf(desk)).notice).to.include('desk.json was not applied'),
      SOON,
    );
    expect(await toolsAt(url)).to.deep.equal(['beta_say', 'alpha_say']);
    await writeMembers({ beta: server('beta') });
    await expectTools(url, ['beta_say']);
    await eventually(async () => expect((await stateOf(desk)).notice ?? '').to.equal(''), SOON);
    await removeAll(desk);
  });

  it('starts again after its supervisor was killed, and runs an exported copy', async () => {
    await writeMembers({ alpha: server('alpha') });
    const url = await user.run(`--members=${path.join(folder, 'desk.json')}`, `--name=${desk}`);
    await expectTools(url, ['alpha_say']);
    process.kill((await stateOf(desk)).process_id, 'SIGKILL');
    await eventually(async () => {
      const [listed] = await user.list();
      expect(listed?.status).to.equal('unhealthy');
    }, SOON);
    await user.done('start', desk);
    await expectTools(url, ['alpha_say']);
    const copied = path.join(folder, 'copy.json');
    await user.done('export', desk, copied);
    await user.done('rm', desk);
    const copy = await user.run(`--from-config=${copied}`);
    await expectTools(copy, ['alpha_say']);
    await removeAll(desk);
  });

  it('serves every workload of a group with --member-group, also later ones', async () => {
    await user.done('group', 'create', 'team');
    const run = async (name: string): Promise<string> =>
      await user.run(
        `--name=${desk}-${name}`,
        '--group=team',
        '--transport=stdio',
        `-eWHO=${name}`,
        `-v${path.join(folder, 'tool.js')}:/srv/tool.js:ro`,
        'portolan-test/node',
        '--',
        'node',
        '/srv/tool.js',
      );
    await run('one');
    const url = await user.run('--member-group=team', `--name=${desk}`, '--group=team');
    await expectTools(url, [`${desk}-one_say`]);
    await run('two');
    await expectTools(url, [`${desk}-one_say`, `${desk}-two_say`]);
    await user.done('rm', `${desk}-one`);
    await expectTools(url, [`${desk}-two_say`]);
    await user.done('rm', desk, `${desk}-two`);
    await user.done('group', 'rm', 'team');
  });

  it('refuses members that lead back to the virtual server, and logins of callers', async () => {
    await writeMembers({ self: { workload: desk } });
    const circle = await user.portolan([
      'run',
      `--members=${path.join(folder, 'desk.json')}`,
      `--name=${desk}`,
    ]);
    expect([circle.status, circle.stderr]).to.deep.equal([2, circle.stderr]);
    expect(circle.stderr).to.include('it cannot be a member of itself');
    await writeMembers({ linear: { url: 'https://mcp.acme.example/mcp', credentials: 'caller' } });
    const caller = await user.portolan([
      'run',
      `--members=${path.join(folder, 'desk.json')}`,
      `--name=${desk}`,
    ]);
    expect(caller.status).to.equal(2);
    expect(caller.stderr).to.include('members.linear.credentials');
  });
});

async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function textOf(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool({ name, arguments: {} });
  // SAFETY: the servers of these tests return one text.
  return (content as readonly { readonly text: string }[])[0]?.text ?? '';
}

async function call(url: string, name: string): Promise<string> {
  return await withClient(url, async (client) => await textOf(client, name));
}

/** Opens a remote server with one tool, which returns a header of the request. */
async function openRemote(): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => void respond(request, response));
  const port = await listenOnLoopback(server);
  return { server, url: `http://127.0.0.1:${port}/mcp` };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  // SAFETY: only Portolan sends requests here.
  const message = JSON.parse(body) as {
    readonly id?: number;
    readonly method: string;
    readonly params?: { readonly protocolVersion?: string };
  };
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: message.params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'remote', version: '1' },
    },
    'tools/list': { tools: [{ name: 'issues', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: `issues of ${String(request.headers['x-team'])}` }] },
  };
  const result = results[message.method];
  const reply = result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply }));
}
