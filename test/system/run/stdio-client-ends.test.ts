import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { LAUNCHER, runPortolan, context } from '../../support/command-line.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'me', version: '1' } },
};

describe('`portolan proxy stdio` when its client ends', function () {
  this.timeout(180_000);
  const begun: string[] = [];
  const ended: unknown[] = [];
  // A remote server that records the start and end of sessions. A ping gets no response.
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      serve(request, Buffer.concat(chunks).toString('utf8'), response);
    });
  });

  function serve(request: IncomingMessage, text: string, response: ServerResponse): void {
    // SAFETY: the proxy sends messages.
    const { id, method } = (text === '' ? {} : JSON.parse(text)) as { id?: unknown; method?: string };
    if (request.method === 'DELETE') {
      ended.push(request.headers['mcp-session-id']);
      response.writeHead(200).end();
    } else if (request.method !== 'POST') response.writeHead(405).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'initialize') {
      const session = `session-${begun.length}`;
      begun.push(session);
      const serverInfo = { name: 's', version: '1' };
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo };
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': session })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
  }

  const children: ChildProcess[] = [];
  let root: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-stdio-ends-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = foldersBelow(root);
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}/mcp`;
    const run = await runPortolan(['run', url, '--name', 'stdio-ends'], { cwd: root, env: environment });
    expect(run.status, run.stderr).to.equal(0);
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await endWorkloads(root, environment);
    server.closeAllConnections();
    server.close();
    await rm(root, { recursive: true, force: true });
  });

  /** Starts the command, and returns it with its session. */
  async function connect(): Promise<{ readonly child: ChildProcess; readonly session: string | undefined }> {
    const child = spawn(process.execPath, [LAUNCHER, 'proxy', 'stdio', 'stdio-ends'], {
      cwd: root,
      env: { ...context(), ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    child.stdin?.on('error', () => undefined).write(`${JSON.stringify(INITIALIZE)}\n`);
    if (child.stdout !== null) await once(child.stdout, 'data');
    return { child, session: begun.at(-1) };
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
    it(`ends the session with DELETE on ${signal}, also during a request`, async () => {
      const { child, session } = await connect();
      child.stdin?.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
      child.kill(signal);
      await once(child, 'close');
      await eventually(() => expect(ended).to.include(session));
    });
  }

  it('ends the session with DELETE when standard input ends', async () => {
    const { child, session } = await connect();
    child.stdin?.end();
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    await eventually(() => expect(ended).to.include(session));
  });

  it('ends the session with DELETE when standard output closes', async () => {
    const { child, session } = await connect();
    child.stdout?.destroy();
    child.stdin?.write('no JSON\n'.repeat(3));
    await once(child, 'close');
    await eventually(() => expect(ended).to.include(session));
  });

  it('does not end the session after kill -9, so that only --session-ttl ends it', async () => {
    const { child, session } = await connect();
    child.kill('SIGKILL');
    await once(child, 'close');
    const next = await connect();
    next.child.stdin?.end();
    await once(next.child, 'close');
    await eventually(() => expect(ended).to.include(next.session));
    expect(ended).not.to.include(session);
  });
});
