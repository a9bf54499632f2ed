import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { findProcesses } from '../../support/workload-traces.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const ADDRESS = /^ {2}(https?:\S+)$/m;
const REQUESTS = 1000;
/** Number of requests at the same time. */
const AT_ONCE = 50;
const LIFE_SECONDS = 5;
const MOVED_CLOCK = new URL('../../support/moved-clock.js', import.meta.url).href;

describe('the login of a running workload', function () {
  this.timeout(180_000);
  let root: string;
  let world: OauthWorld;
  let options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
  let url: string;
  /** Sessions that the remote knows. */
  const sessions = new Set<string>();

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-goes-on-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const clock = { NODE_OPTIONS: `--import ${MOVED_CLOCK}`, TEST_CLOCK_FILE: path.join(root, 'clock') };
    const password = { PORTOLAN_SECRETS_PASSWORD: 'correct horse' };
    options = { cwd: root, env: { ...foldersBelow(root), ...password, ...clock } };
    await done('secret', 'provider', 'encrypted');
    world = await OauthWorld.open({ serve: (request, response) => void serve(request, response) });
    url = await loggingIn(...run());
  });
  after(async () => {
    await endWorkloads(root, options.env);
    await world.close();
    await rm(root, { recursive: true, force: true });
  });

  async function portolan(...args: readonly string[]): Promise<Finished> {
    return await runPortolan(args, options);
  }

  async function done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await portolan(...args);
    expect(status, stderr).to.equal(0);
    return stdout.trim();
  }

  const run = (): readonly string[] => {
    const flags = ['--name=notes', '--remote-auth', '--remote-auth-skip-browser', '--replace'];
    // Contains an ID token with times of the issuer's clock.
    return ['run', world.remote, ...flags, '--remote-auth-scopes=openid,mcp.read,offline_access'];
  };

  /** Runs a command and logs in as soon as it prints the address. */
  async function inBrowser(...args: readonly string[]): Promise<Finished> {
    const running = new RunningPortolan(args, options);
    const visited = running.told(ADDRESS).then(([, address = '']) => world.visit(address));
    await visited.catch(() => undefined); // The command ended before. The caller checks how.
    return await running.finished;
  }

  async function loggingIn(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await inBrowser(...args);
    expect(status, stderr).to.equal(0);
    return stdout.trim();
  }

  /** A remote with sessions, which it keeps for every caller. */
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id = null, method } = Object(JSON.parse((await readText(request)) || '{}'));
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (method === 'initialize') {
      const given = `session-${sessions.size + 1}`;
      sessions.add(given);
      response.setHeader('mcp-session-id', given);
    } else if (session !== '' && !sessions.has(session)) return void response.writeHead(404).end();
    const greeting = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'notes', version: '1.0.0' },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? greeting : {} }));
  }

  async function ask(method: string, session?: string): Promise<Response> {
    const params =
      method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
        : {};
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    };
    return await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
    });
  }

  /**
   * Sends requests, several at the same time, until the caller stops it. Returns the number of each status
   * and of each error code.
   */
  async function askOften(wantsMore: (sent: number) => boolean): Promise<ReadonlyMap<number, number>> {
    const statuses = new Map<number, number>();
    let sent = 0;
    const sender = async (): Promise<void> => {
      while (wantsMore(sent)) {
        sent += 1;
        const answer = await ask('tools/list');
        const text = await answer.text();
        const status = answer.status === 200 ? (JSON.parse(text).error?.code ?? 200) : answer.status;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    return statuses;
  }

  async function statusNow(): Promise<Readonly<Record<string, unknown>>> {
    // SAFETY: the command prints a JSON object.
    return JSON.parse(await done('status', 'notes', '--format=json')) as Record<string, unknown>;
  }

  it('is renewed once for 1,000 requests when the token is revoked, and none fails', async () => {
    const before = world.renewedAt.length;
    let forgotten: Promise<void> | undefined;
    const statuses = await askOften((sent) => {
      if (sent === REQUESTS / 2) forgotten = world.forgetTokens();
      return sent < REQUESTS;
    });
    await forgotten;
    expect([...statuses]).to.deep.equal([[200, REQUESTS]]);
    expect(world.renewedAt.length - before).to.equal(1);
  });

  it('is renewed once for 1,000 requests when the token expires, and none fails', async () => {
    world.tokenSeconds = LIFE_SECONDS;
    await world.forgetTokens();
    expect((await ask('tools/list')).status).to.equal(200);
    const given = world.renewedAt.at(-1) ?? 0;
    const ends = given + LIFE_SECONDS * 1000;
    await eventually(() => expect(Date.now()).to.be.at.least(ends - 700), { withinMs: LIFE_SECONDS * 1000 });
    const statuses = await askOften((sent) => sent < REQUESTS || Date.now() < ends + 300);
    expect([...statuses.keys()]).to.deep.equal([200]);
    const renewed = world.renewedAt.filter((at) => at > given);
    world.tokenSeconds = 3600;
    expect(renewed, 'by the last of them, which came after the end').to.not.deep.equal([]);
    // Waits for one renewal of each expired token, however long the requests take.
    const lives = [given, ...renewed].map((at, index, all) => (all[index + 1] ?? Infinity) - at);
    for (const life of lives) expect(life).to.be.at.least(LIFE_SECONDS * 1000 * 0.8);
  });

  for (const hours of [1, -1]) {
    it(`survives a clock that moves by ${hours} h, without a failed request`, async () => {
      const before = await statusNow();
      await writeFile(path.join(root, 'clock'), String(hours * 3600_000));
      for (const isForgotten of [false, true, true]) {
        if (isForgotten) await world.forgetTokens();
        const statuses = await askOften((sent) => sent < AT_ONCE);
        expect([...statuses.keys()], JSON.stringify(await statusNow())).to.deep.equal([200]);
      }
      await rm(path.join(root, 'clock'));
      await world.forgetTokens();
      expect((await ask('tools/list')).status).to.equal(200);
      const { status, started_at: startedAt } = await statusNow();
      expect([status, startedAt]).to.deep.equal(['running', before['started_at']]);
    });
  }

  it('has ended › every request gets a JSON-RPC error (world F7), and `login` revives the session without a restart', async () => {
    const session = (await ask('initialize')).headers.get('mcp-session-id') ?? '';
    expect((await ask('tools/list', session)).status).to.equal(200);
    const [before, supervisor] = [await statusNow(), await supervisorNow()];
    await world.forgetGrants();
    await world.forgetTokens();
    const renewals = world.renewedAt.length;
    expect([...(await askOften((sent) => sent < AT_ONCE)).keys()]).to.deep.equal([403]);
    expect(world.renewedAt.length - renewals).to.equal(1);
    const refused = await ask('tools/list', session);
    expect(refused.headers.get('www-authenticate')).to.equal(null);
    const { id, error } = Object(await refused.json());
    expect([id, error.message]).to.deep.equal([
      7,
      'The login of this workload at the remote server has expired. Log in again: portolan login notes',
    ]);
    await eventually(async () => {
      const now = await statusNow();
      expect(now).to.include({ status: 'unauthenticated' });
      expect(now['status_context']).to.match(/^The login has ended: .* Log in again: portolan login notes$/);
    });
    await loggingIn('login', 'notes');
    await eventually(async () =>
      expect(await (await ask('tools/list', session)).json()).not.to.have.property('error'),
    );
    expect(await statusNow()).to.include({ status: 'running', started_at: before['started_at'] });
    expect(await supervisorNow()).to.equal(supervisor);
  });

  it('is changed by two concurrent `run`s and a `login` › one workload remains, with a valid login', async () => {
    const finished = await Promise.all([
      inBrowser(...run()),
      inBrowser('login', 'notes'),
      inBrowser(...run()),
    ]);
    for (const { status: ended, stderr } of finished) {
      expect(stderr).to.not.match(/^\s+at /m);
      if (ended !== 0) expect(stderr).to.match(/^error: [\s\S]*\nhint: /m);
    }
    expect(finished.some(({ status: ended }) => ended === 0)).to.equal(true);
    // SAFETY: output of Portolan. Without the fields, the test fails.
    const list = async () =>
      JSON.parse(await done('list', '--all', '--format=json')) as { status: string; url: string }[];
    const [listed, ...others] = await list();
    expect(others).to.deep.equal([]);
    const supervisors = async (): Promise<readonly string[]> =>
      (await findProcesses(root)).filter((command) => command.includes('portolan-supervisor'));
    await eventually(async () => expect(await supervisors()).to.have.lengthOf(1));
    url = listed?.url ?? '';
    await eventually(async () => expect((await ask('tools/list')).status).to.equal(200));
    await done('restart', 'notes');
    url = (await list())[0]?.url ?? '';
    await world.forgetTokens();
    await eventually(async () => expect((await ask('tools/list')).status).to.equal(200));
    await done('rm', 'notes');
    expect(await done('secret', 'list', '--system')).to.not.include('notes');
  });

  async function supervisorNow(): Promise<number> {
    const file = path.join(root, 'data/portolan/statuses/notes.supervisor');
    // SAFETY: a file of Portolan. Without the field, the test fails.
    return (JSON.parse(await readFile(file, 'utf8')) as { readonly pid: number }).pid;
  }
});
