import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import {
  OauthWorld,
  type OauthWorldOptions,
} from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { startOtlpCollector } from '../../support/otlp/otlp-collector.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

describe('portolan run URL when the server requires a login', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let world: OauthWorld;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-login-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = { ...foldersBelow(root), PORTOLAN_SECRETS_PASSWORD: 'correct horse' };
    await giveSecretStore(root, 'correct horse');
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await world.close();
    await rm(root, { recursive: true, force: true });
  });

  const options = (): { cwd: string; env: Readonly<Record<string, string>> } => ({
    cwd: root,
    env: environment,
  });
  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, options());

  /** Runs a command during which a person logs in. */
  async function loggingIn(...args: readonly string[]): Promise<Finished> {
    const running = new RunningPortolan(args, options());
    const [, url = ''] = await running.told(/^ {2}(https?:\S+)$/m);
    const page = await world.visit(url);
    const finished = await running.finished;
    expect(finished.status, finished.stderr).to.equal(0);
    expect(page.status, page.text).to.equal(200);
    return finished;
  }

  async function run(settings: OauthWorldOptions, ...flags: readonly string[]): Promise<string> {
    world = await OauthWorld.open(settings);
    const { stdout } = await loggingIn(
      'run',
      world.remote,
      '--name=notes',
      '--remote-auth',
      '--remote-auth-skip-browser',
      ...flags,
    );
    return stdout.trim();
  }

  async function ask(url: string, method = 'tools/list', params?: object): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
    return await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  }

  /**
   * Returns true if the workload has no valid login: clients get a JSON-RPC error with that message, and no
   * challenge.
   */
  async function isLoginOver(url: string): Promise<boolean> {
    const response = await ask(url);
    const { id, error } = Object(await response.json());
    if (error === undefined) return false;
    expect([response.status, response.headers.get('www-authenticate'), id, error.code]).to.deep.equal([
      200,
      null,
      7,
      403,
    ]);
    expect(error.message).to.include('portolan login notes');
    return true;
  }

  async function status(): Promise<Readonly<Record<string, unknown>>> {
    // SAFETY: the command prints JSON.
    return JSON.parse((await portolan('status', 'notes', '--format', 'json')).stdout) as Record<
      string,
      unknown
    >;
  }

  async function loginNow(): Promise<unknown> {
    return (await status())['login'];
  }

  it('--remote-auth logs in, and puts no secret into the run config, the export and the state', async () => {
    const url = await run({});
    expect((await ask(url)).status).to.equal(200);
    const { login } = await status();
    expect(login).to.deep.include({ issuer: world.issuer });
    const exported = (await portolan('export', 'notes', '-')).stdout;
    expect(exported).to.include('OAUTH_REFRESH_TOKEN_notes,target=refresh_token');
    const { stdout: inspected } = await portolan('inspect', 'notes');
    const log = await readFile(path.join(root, 'data/portolan/logs/notes.log'), 'utf8').catch(() => '');
    for (const token of world.issued) {
      for (const text of [exported, inspected, log]) expect(text).to.not.include(token);
    }
  });

  it('continues the login of a run config of Portolan or another tool when the secrets are in the store', async () => {
    await run({});
    const { stdout: exported } = await portolan('export', 'notes', '-');
    expect((await portolan('stop', 'notes')).status).to.equal(0);
    // Folder of another machine to which the secrets were copied.
    for (const folder of ['state/portolan/runconfigs', 'data/portolan/statuses']) {
      await rm(path.join(root, folder), { recursive: true, force: true });
    }
    const document = JSON.parse(exported);
    const ours = ['enabled', 'cached_issuer', 'cached_resource', 'cached_scopes', 'cached_subject'];
    const theirs = Object.entries(document.remote_auth_config).filter(([key]) => !ours.includes(key));
    const file = path.join(root, 'notes.json');
    await writeFile(
      file,
      JSON.stringify({
        ...document,
        remote_auth_config: { ...Object.fromEntries(theirs), use_pkce: true },
      }),
    );
    const [registered, asked] = [world.registered, world.tokenRequests.length];
    const started = await portolan('run', '--trust', '--from-config', file);
    expect(started.status, started.stderr).to.equal(0);
    expect((await ask(started.stdout.trim())).status).to.equal(200);
    expect(await loginNow()).to.deep.include({ issuer: world.issuer });
    const grants = world.tokenRequests.slice(asked).map((sent) => sent.get('grant_type'));
    expect([world.registered - registered, new Set(grants)]).to.deep.equal([0, new Set(['refresh_token'])]);
    expect(await portolan('logout', 'notes')).to.include({ status: 0 });
  });

  it('renews tokens once for concurrent requests, and continues after a restart', async () => {
    const url = await run({ tokenSeconds: 3 });
    const statuses = new Set<number>();
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, async () => await ask(url)));
      for (const answer of answers) statuses.add(answer.status);
      expect(world.renewedAt).to.have.length.above(1);
    });
    expect(statuses).to.deep.equal(new Set([200]));
    const refreshes = world.tokenRequests.filter((request) => request.get('grant_type') === 'refresh_token');
    // Wait for one renewal of each expired token, however long the machine takes.
    for (const [at, renewed] of world.renewedAt.slice(1).entries())
      expect(renewed - (world.renewedAt[at] ?? 0)).to.be.at.least(1500);
    expect(refreshes.map((request) => request.get('resource'))).to.deep.equal(
      refreshes.map(() => world.remote),
    );
    expect((await portolan('restart', 'notes')).status).to.equal(0);
    expect((await ask(url)).status).to.equal(200);
  });

  it('returns an error to clients when the login has ended, and works after `login` without a restart (world F7)', async () => {
    const url = await run({ tokenSeconds: 2 });
    const before = await status();
    await world.forgetGrants();
    await eventually(async () => expect(await isLoginOver(url)).to.equal(true));
    await eventually(async () => expect((await status())['status']).to.equal('unauthenticated'));
    await loggingIn('login', 'notes');
    await eventually(async () => expect(await isLoginOver(url)).to.equal(false));
    const after = await status();
    expect(after).to.include({ status: 'running', started_at: before['started_at'] });
  });

  it('returns an error for a missing scope, shows it in status, and `login` requests it with the earlier scopes (world F7)', async () => {
    const url = await run({ guardsCalls: true });
    const refused = await ask(url, 'tools/call');
    expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([200, null]);
    const { error } = Object(await refused.json());
    expect(error.code).to.equal(403);
    expect(error.message).to.include('lack permissions').and.to.include('portolan login notes');
    await eventually(async () => expect(await loginNow()).to.deep.include({ missing_scopes: ['mcp.write'] }));
    expect((await portolan('status', 'notes')).stdout).to.include('lacking mcp.write (portolan login notes');
    await loggingIn('login', 'notes');
    await eventually(async () =>
      expect(await (await ask(url, 'tools/call')).json()).not.to.have.property('error'),
    );
    const { scopes, missing_scopes: missing } = Object(await loginNow());
    expect(scopes).to.include.members(['mcp.read', 'mcp.write']);
    expect(missing).to.deep.equal([]);
  });

  it('keeps a token without a refresh token, and passes a later one to the running workload', async () => {
    const url = await run({ refreshes: false });
    expect((await portolan('restart', 'notes')).status).to.equal(0);
    expect((await ask(url)).status).to.equal(200);
    await world.forgetTokens();
    expect(await isLoginOver(url)).to.equal(true);
    await eventually(async () => expect((await status())['status']).to.equal('unauthenticated'));
    await loggingIn('login', 'notes');
    await eventually(async () => expect(await isLoginOver(url)).to.equal(false));
    expect((await portolan('logout', 'notes')).status).to.equal(0);
    await eventually(async () => expect(await isLoginOver(url)).to.equal(true));
    expect((await portolan('secret', 'list', '--system')).stdout).to.not.include('OAUTH_ACCESS_TOKEN');
  });

  it('works with tool filter, policy, audit, telemetry and clients, and from an export without a token', async () => {
    world = await OauthWorld.open({ serve: (request, response) => void serveNotes(request, response) });
    const policies = ['permit(principal, action == Action::"call_tool", resource == Tool::"read");'];
    const rules = { version: '1.0', type: 'cedarv1', cedar: { policies, entities_json: '[]' } };
    await writeFile(path.join(root, 'rules.json'), JSON.stringify(rules));
    await writeFile(
      path.join(root, 'audit.json'),
      JSON.stringify({ logFile: path.join(root, 'audit.jsonl') }),
    );
    await mkdir(path.join(root, '.cursor'));
    expect((await portolan('client', 'register', 'cursor')).status).to.equal(0);
    const flags = [
      '--tools=read',
      '--tools=write',
      '--authz-config=rules.json',
      '--audit-config=audit.json',
      '--otel-enable-prometheus-metrics-path',
    ];
    const login = ['--name=notes', '--remote-auth', '--remote-auth-skip-browser'];
    const expectAll = async (url: string): Promise<void> => {
      const codes = [];
      for (const name of ['read', 'write', 'erase'])
        codes.push(Object(await (await ask(url, 'tools/call', { name })).json()).error?.code);
      expect(codes).to.deep.equal([undefined, 403, -32602]);
      const listed = Object(await (await ask(url)).json());
      expect(listed.result.tools.map(({ name }: { readonly name: string }) => name)).to.deep.equal(['read']);
      expect(await (await fetch(new URL('/metrics', url))).text()).to.include('tools/call');
    };
    await expectAll((await loggingIn('run', world.remote, ...login, ...flags)).stdout.trim());
    expect(await readFile(path.join(root, '.cursor/mcp.json'), 'utf8')).to.include('notes');
    expect((await portolan('export', 'notes', 'notes.json')).status).to.equal(0);
    expect((await portolan('rm', 'notes')).status).to.equal(0);
    // The login was removed with the workload, so the person logs in again.
    await expectAll((await loggingIn('run', '--from-config', 'notes.json')).stdout.trim());
    const written = await Promise.all(
      ['notes.json', 'audit.jsonl', '.cursor/mcp.json'].map((file) =>
        readFile(path.join(root, file), 'utf8'),
      ),
    );
    expect(written[1]).to.include('"read"');
    for (const token of world.issued) expect(written.join('')).to.not.include(token);
  });

  it('uses oauth_config of a registry entry, and sends no token to the telemetry collector', async () => {
    world = await OauthWorld.open({ serve: (request, response) => void serveNotes(request, response) });
    const collector = await startOtlpCollector();
    try {
      const notes = {
        description: 'Notes of a team.',
        tier: 'Community',
        status: 'Active',
        transport: 'streamable-http',
        tools: ['read'],
        url: world.remote,
        oauth_config: {
          issuer: world.issuer,
          scopes: ['mcp.write'],
          oauth_params: { login_hint: 'ada' },
          use_pkce: true,
        },
      };
      const catalogue = {
        version: '1.0.0',
        last_updated: '2026-01-01T00:00:00Z',
        servers: {},
        remote_servers: { notes },
      };
      await writeFile(path.join(root, 'catalogue.json'), JSON.stringify(catalogue));
      const set = await portolan('config', 'set-registry', path.join(root, 'catalogue.json'));
      expect(set.status, set.stderr).to.equal(0);
      const asked: string[] = [];
      world.watch = (at) => asked.push(at);
      const flags = [
        '--trust',
        '--remote-auth-skip-browser',
        `--otel-endpoint=${collector.address}`,
        '--otel-insecure',
        '--otel-sampling-rate=1',
      ];
      const { stdout } = await loggingIn('run', 'notes', '--name=notes', ...flags);
      const authorization = asked.find((at) => at.startsWith('/auth?')) ?? '';
      const sent = new URL(authorization, world.issuer).searchParams;
      expect([sent.get('login_hint'), sent.get('resource')]).to.deep.equal(['ada', world.remote]);
      expect(sent.get('scope')?.split(' ')).to.include('mcp.write').and.not.to.include('mcp.read');
      expect(await loginNow()).to.deep.include({ issuer: world.issuer });
      expect((await ask(stdout.trim(), 'tools/call', { name: 'read' })).status).to.equal(200);
      await eventually(() => expect(collector.spans.map(({ name }) => name)).to.include('tools/call read'));
      expect((await portolan('stop', 'notes')).status).to.equal(0);
      expect(collector.metrics.map(({ name }) => name)).to.include('mcp.server.operation.duration');
      expect(collector.faults).to.deep.equal([]);
      const all = [collector.spans, collector.metrics, collector.requests];
      const told = inspect(all, { depth: null, maxArrayLength: null, maxStringLength: null });
      for (const token of world.issued) expect(told).to.not.include(token);
    } finally {
      await collector.close();
    }
  });

  it('logout revokes the tokens; rm also unregisters the client', async () => {
    await run({});
    expect((await portolan('logout', 'notes')).status).to.equal(0);
    expect(world.revoked).to.have.lengthOf(1);
    expect((await portolan('logout', 'notes')).status).to.equal(0);
    expect((await portolan('rm', 'notes')).status).to.equal(0);
    expect(world.unregistered).to.have.lengthOf(1);
    const { stdout } = await portolan('secret', 'list', '--system');
    expect(stdout).to.not.include('notes');
  });

  it('stops waiting after --remote-auth-timeout and leaves nothing, with a browser here and on another device', async () => {
    world = await OauthWorld.open();
    const elsewhere = await OauthWorld.open();
    try {
      const flags = ['--remote-auth', '--remote-auth-timeout=8s'];
      const [here, device] = await Promise.all([
        portolan('run', world.remote, '--name=notes', ...flags, '--remote-auth-skip-browser'),
        portolan('run', elsewhere.remote, '--name=notes-device', ...flags),
      ]);
      expect([here.status, device.status]).to.deep.equal([1, 1]);
      for (const { stderr } of [here, device])
        expect(stderr).to.include('The login was not completed within 8 s');
      expect([here, device].map(({ stderr }) => stderr.includes('enter the code'))).to.deep.equal([
        false,
        true,
      ]);
      for (const { unregistered } of [world, elsewhere]) expect(unregistered).to.have.lengthOf(1);
      expect((await portolan('list', '--all', '--format', 'json')).stdout.trim()).to.equal('[]');
      expect((await portolan('secret', 'list', '--system')).stdout).to.not.include('notes');
    } finally {
      await elsewhere.close();
    }
  });

  it('revokes the login when the run fails after it', async () => {
    world = await OauthWorld.open({ serve: (_request, response) => void response.writeHead(500).end() });
    const flags = ['--name=notes', '--remote-auth', '--remote-auth-skip-browser', '--start-timeout=3s'];
    const running = new RunningPortolan(['run', world.remote, ...flags], options());
    const [, url = ''] = await running.told(/^ {2}(https?:\S+)$/m);
    await world.visit(url);
    expect((await running.finished).status).to.equal(1);
    expect([world.revoked.length, world.unregistered.length]).to.deep.equal([1, 1]);
    expect((await portolan('secret', 'list', '--system')).stdout).to.not.include('notes');
  });

  it('warns and shows the status when the remote responds 401 without a terminal', async () => {
    world = await OauthWorld.open();
    for (const { name, flags, command } of [
      { name: 'bare', flags: [], command: 'portolan login bare' },
      {
        name: 'wrong',
        flags: ['--remote-auth-bearer-token=no-token-of-it'],
        command: `portolan run ${world.remote} --name=wrong --replace --remote-auth`,
      },
    ]) {
      const args = ['run', world.remote, `--name=${name}`, '--format=json', ...flags];
      const { status: ended, stdout, stderr } = await portolan(...args);
      expect(ended, stderr).to.equal(0);
      expect(JSON.parse(stdout)).to.have.property('status', 'unauthenticated');
      expect(stderr)
        .to.include(`${name} has started, but its remote server responds with 401`)
        .and.include(command);
      const started = await portolan('restart', name, '--format=json');
      expect(JSON.parse(started.stdout)).to.have.nested.property('[0].status', 'unauthenticated');
      expect(started.stderr).to.include(command);
    }
    const good = await portolan(
      'run',
      world.remote,
      '--name=good',
      '--format=json',
      `--remote-auth-bearer-token=${await world.issueToken()}`,
    );
    expect(JSON.parse(good.stdout)).to.have.property('status', 'running');
    expect(good.stderr).to.not.include('responds with');
  });

  for (const way of ['flag', 'file', 'environment'] as const) {
    it(`--remote-auth-bearer-token sends a token without a login, by ${way}`, async () => {
      world = await OauthWorld.open();
      const token = await world.issueToken();
      const file = path.join(root, 'token');
      await writeFile(file, `${token}\n`);
      if (way === 'environment') environment = { ...environment, PORTOLAN_REMOTE_AUTH_BEARER_TOKEN: token };
      const flags = {
        flag: [`--remote-auth-bearer-token=${token}`],
        file: ['--remote-auth-bearer-token-file=token'],
        environment: [],
      };
      const {
        status: ended,
        stdout,
        stderr,
      } = await portolan('run', world.remote, '--name=notes', ...flags[way]);
      expect(ended, stderr).to.equal(0);
      expect((await ask(stdout.trim())).status).to.equal(200);
      expect((await portolan('export', 'notes', '-')).stdout).to.not.include(token);
    });
  }
});

/** Starts a server with three tools. */
async function serveNotes(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id = null, method } = Object(JSON.parse((await readText(request)) || '{}'));
  const tools = ['read', 'write', 'erase'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'notes', version: '1.0.0' },
    },
    'tools/list': { tools },
    'tools/call': { content: [{ type: 'text', text: 'done' }] },
  };
  const result = results[method] ?? {};
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
