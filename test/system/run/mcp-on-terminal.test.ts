import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { expect } from 'chai';
import { runPortolan } from '../../support/command-line.ts';
import { CommandOnTerminal } from '../../support/command-on-terminal.ts';
import { foldersBelow } from '../../support/user-folders.ts';

type Asked = Parameters<McpServer['server']['elicitInput']>;

async function askBoat(
  { server }: McpServer,
  relatedRequestId: string | number,
): ReturnType<McpServer['server']['elicitInput']> {
  const form: Asked[0] = {
    message: 'Which boat is it?\u001B[2J',
    requestedSchema: {
      type: 'object',
      properties: {
        length: { type: 'integer', title: 'Length', description: 'in metres', minimum: 1 },
        flag: { type: 'string', title: 'Flag', enum: ['NO', 'SE'], default: 'NO' },
      },
      required: ['length'],
    },
  };
  return await server.elicitInput(form, { relatedRequestId });
}

/** A server with a tool that tells how far it is, and asks how long a boat is. */
function harbour(): McpServer {
  const server = new McpServer({ name: 'harbour', version: '1.0.0' });
  server.registerTool(
    'book',
    { description: 'Books a berth' },
    async ({ _meta, requestId, sendNotification }) => {
      const progressToken = _meta?.progressToken;
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 2, message: 'looking for a berth' };
        await sendNotification({ method: 'notifications/progress', params });
      }
      const canAsk = server.server.getClientCapabilities()?.elicitation !== undefined;
      const answer = canAsk ? await askBoat(server, requestId) : undefined;
      const text =
        answer?.action === 'accept'
          ? `booked for ${JSON.stringify(answer.content)}`
          : `nothing is booked: ${answer?.action ?? 'nobody can be asked'}`;
      return { content: [{ type: 'text', text }] };
    },
  );
  return server;
}

describe('portolan mcp, on a terminal', function () {
  this.timeout(600_000); // starts a process for each command
  let root: string;
  let server: Server;
  let url: string;
  const open = new Map<string, StreamableHTTPServerTransport>();

  before(async function () {
    CommandOnTerminal.require(this);
    root = await mkdtemp(path.join(tmpdir(), 'portolan-mcp-terminal-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    server = createServer((request, response) => {
      const session = request.headers['mcp-session-id'];
      const known = typeof session === 'string' ? open.get(session) : undefined;
      const answering = async (): Promise<void> => {
        const transport =
          known ??
          new StreamableHTTPServerTransport({
            sessionIdGenerator: randomUUID,
            onsessioninitialized: (id) => void open.set(id, transport),
          });
        if (known === undefined) await harbour().connect(transport);
        await transport.handleRequest(request, response);
      };
      answering().catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    // It listens over TCP, so it has a port.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  after(async () => {
    if (server === undefined) return;
    const closed = new Promise((resolve) => void server.close(resolve));
    server.closeAllConnections();
    await closed;
    await rm(root, { recursive: true, force: true });
  });

  const call = (): CommandOnTerminal =>
    new CommandOnTerminal(['mcp', 'call', url, 'book'], { cwd: root, env: foldersBelow(root), columns: 80 });

  it('shows how far a call is, and asks what the server wants to know', async () => {
    const calling = call();
    await calling.shown(/looking for a berth/);
    await calling.shown(/asks:\n {2}Which boat is it\?[^]*Answer it\? \[yes\/no\] /);
    calling.answer('yes');
    await calling.shown(/Length \(in metres\): /);
    calling.answer('a lot');
    await calling.shown(/a lot[^]*Length \(in metres\): /);
    calling.answer('12');
    await calling.shown(/Flag \(one of NO, SE; may be left empty\) \[NO\]: /);
    calling.pressEnter();
    const { status, screen } = await calling.finished;
    expect({ status }, screen).to.deep.equal({ status: 0 });
    expect(screen).to.match(/\nbooked for \{"length":12,"flag":"NO"\}\n/);
    expect(screen).not.to.include('\u001B[2J');
  });

  it('tells the server that somebody does not want to answer', async () => {
    const calling = call();
    await calling.shown(/Answer it\? \[yes\/no\] /);
    calling.answer('no');
    const { status, screen } = await calling.finished;
    expect({ status }, screen).to.deep.equal({ status: 0 });
    expect(screen).to.match(/\nnothing is booked: decline\n/);
  });

  it('ends at Ctrl-C, also while it asks', async () => {
    const calling = call();
    await calling.shown(/Answer it\? \[yes\/no\] /);
    calling.pressCtrlC();
    const { status, screen } = await calling.finished;
    expect({ status }, screen).to.deep.equal({ status: 130 });
    expect(screen).not.to.include('booked');
  });

  it('asks nobody where there is no terminal', async () => {
    const finished = await runPortolan(['mcp', 'call', url, 'book'], { cwd: root, env: foldersBelow(root) });
    expect(finished).to.include({
      status: 0,
      stdout: 'nothing is booked: nobody can be asked\n',
      stderr: '',
    });
  });
});
