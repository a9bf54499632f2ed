import { createServer, request as forward, type Server, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openFetch } from '@portolan/outbound';
import { isJsonObject, isPortolanError, type ProxyMiddleware } from '@portolan/plugin-api';
import { expect } from 'chai';
import { callTool } from '../../../packages/cli/src/mcp/call-tool.ts';
import { partsOfContent } from '../../../packages/cli/src/mcp/contents.ts';
import type { McpServer } from '../../../packages/cli/src/mcp/find-server.ts';
import { getPrompt } from '../../../packages/cli/src/mcp/get-prompt.ts';
import { listPrompts, listResources, listTools } from '../../../packages/cli/src/mcp/list-offers.ts';
import { type McpObserver, openServer, type OpenServer } from '../../../packages/cli/src/mcp/open-server.ts';
import {
  type RunningServer,
  startLegacyServer,
  startModernServer,
} from '../../../packages/proxy/test/support/conformance/http-servers.ts';
import { everythingBackend } from '../../../packages/proxy/test/support/everything-backend.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';

/** Everything that was printed and requested during the connection to a server. */
interface Heard {
  readonly progress: string[];
  readonly told: string[];
  readonly asked: string[];
}

const proxies = new Proxies();
/** Tools and prompts that the policy of a test hides. */
const HIDDEN: ReadonlySet<string> = new Set(['get-sum', 'simple-prompt']);

function observer(heard: Heard, content: Record<string, string> | undefined): McpObserver {
  return {
    progress: (text) => void heard.progress.push(text),
    tell: (lines) => void heard.told.push(...lines),
    tellsLogs: true,
    askForm:
      content === undefined
        ? undefined
        : async (_server, { message }) => {
            heard.asked.push(message);
            return { action: 'accept', content };
          },
  };
}

async function speakTo(
  url: URL,
  more: Partial<McpServer> & {
    readonly answers?: Record<string, string>;
    readonly timeoutMs?: number;
    readonly opens?: typeof openFetch;
  } = {},
): Promise<{ readonly server: OpenServer; readonly heard: Heard }> {
  const { answers, timeoutMs = 20_000, opens = openFetch, ...address } = more;
  const heard: Heard = { progress: [], told: [], asked: [] };
  const server = await openServer(
    { label: 'crew', url, transport: 'streamable-http', headers: {}, ...address },
    { version: '1.0.0', timeoutMs, ca: undefined, observer: observer(heard, answers) },
    { openFetch: opens, environment: {} },
    new AbortController().signal,
  );
  return { server, heard };
}

const words = async (server: OpenServer, tool: string, ...given: readonly string[]): Promise<string> => {
  const { content } = await callTool(server, { tool, words: given, json: undefined }, () => undefined);
  return partsOfContent(content)
    .map((part) => (part.is === 'text' ? part.text : part.mimeType))
    .join('\n');
};

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isPortolanError(error) ? error.code : String(error);
}

describe('`portolan mcp` with different servers', function () {
  this.timeout(180_000);
  const running: RunningServer[] = [];
  const listening: Server[] = [];
  after(async () => {
    await proxies.close();
    for (const server of running) await server.close();
    for (const server of listening) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function start(open: () => Promise<RunningServer>): Promise<URL> {
    const server = await open();
    running.push(server);
    return server.url;
  }

  /** Starts a server with hand-written responses. Records paths and methods of requests. */
  async function answering(status: number, body: string | undefined): Promise<URL> {
    const server = createServer((_request, response) => {
      if (body === undefined) return;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(body);
    });
    listening.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // SAFETY: a TCP server has a port.
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  }

  for (const mode of ['streamable-http', 'sse'] as const) {
    it(`works through a proxy that speaks ${mode}`, async () => {
      const { url } = await proxies.open(everythingBackend({ mode }));
      const { server, heard } = await speakTo(url, { transport: mode, answers: { name: 'Ada' } });
      try {
        expect((await listTools(server)).map(({ name }) => name)).to.include.members(['echo', 'get-sum']);
        expect((await listPrompts(server)).length).to.be.greaterThan(1);
        const { resources, resourceTemplates } = await listResources(server);
        expect([resources.length > 1, resourceTemplates.length > 1]).to.deep.equal([true, true]);
        expect(await words(server, 'get-sum', 'a=2', 'b=40')).to.contain('42');
        expect(await words(server, 'get-tiny-image')).to.contain('image/png');
        expect(await words(server, 'trigger-elicitation-request')).to.contain('- Name: Ada');
        expect(heard.asked).to.have.lengthOf(1);
        await words(server, 'trigger-long-running-operation', 'duration=0.1', 'steps=2');
        expect(heard.progress[0]).to.equal('1 of 2'); // The last one may arrive with the response.
        const { messages } = await getPrompt(server, 'args-prompt', ['city=Bergen'], undefined);
        expect(JSON.stringify(messages)).to.contain('Bergen');
        expect(await codeOf(getPrompt(server, 'args-prompt', ['town=Bergen'], undefined))).to.equal(
          'ERR_BAD_ARGUMENT',
        );
        expect(await codeOf(words(server, 'get-sum', 'a=2'))).to.equal('ERR_BAD_ARGUMENT');
        expect(await codeOf(words(server, 'get-sums'))).to.equal('ERR_NAME_UNKNOWN');
      } finally {
        await server.close();
      }
    });
  }

  for (const mode of ['streamable-http', 'sse'] as const) {
    it(`shows a denial with its ID, even when the list hides the tool (N3): ${mode}`, async () => {
      const denied: unknown[] = [];
      /** A policy that hides a tool and a prompt, and refuses requests for them. */
      const instance: ProxyMiddleware = {
        onMessage: (message) => {
          if (message.kind !== 'request' || !HIDDEN.has(String(message.params?.['name']))) return undefined;
          denied.push(message.params?.['name']);
          return { refuse: { message: 'Denied by policy.', data: { denialId: 'd-1' } } };
        },
        onResponse: (message) => {
          const result = message.kind === 'response' ? message.result : undefined;
          const [kind, items] = Object.entries(isJsonObject(result) ? result : {}).find(
            (entry): entry is [string, { name: string }[]] => Array.isArray(entry[1]),
          ) ?? ['', []];
          const at = items.findIndex(({ name }) => HIDDEN.has(name));
          return at < 0 ? undefined : { change: [{ path: ['result', kind, at], json: undefined }] };
        },
      };
      const middleware = [{ name: 'policy', placed: 'authorize', instance }] as const;
      const { url } = await proxies.open(everythingBackend({ mode }), { middleware });
      const { server } = await speakTo(url, { transport: mode });
      try {
        expect((await listTools(server)).map(({ name }) => name)).to.not.include('get-sum');
        for (const request of [
          words(server, 'get-sum', 'a=2', 'b=40'),
          getPrompt(server, 'simple-prompt', [], undefined),
        ]) {
          const error: unknown = await request.catch((reason: unknown) => reason);
          expect(error).to.have.property('code', 'ERR_MCP_DENIED');
          expect(error).to.have.property('message').that.includes('Denied by policy.').and.includes('d-1');
          expect(error).to.have.property('hint').that.includes('portolan authz why d-1');
        }
        // The client sends both requests at the same time.
        expect(denied).to.have.members(['get-sum', 'simple-prompt']);
        const unknown: unknown = await words(server, 'echoo', 'a=2').catch((reason: unknown) => reason);
        expect(unknown).to.have.property('code', 'ERR_NAME_UNKNOWN');
        expect(unknown).to.have.property('hint').that.includes('did you mean "echo"?');
      } finally {
        await server.close();
      }
    });
  }

  it('works without a handshake, and responds to requests for input', async () => {
    const { server, heard } = await speakTo(await start(startModernServer), { answers: { name: 'Ada' } });
    try {
      expect(await words(server, 'test_custom_headers', 'region=eu', 'priority=3')).to.contain(
        '"priority":3',
      );
      expect(await words(server, 'test_input_required_result_elicitation')).to.contain('Ada');
      expect(heard.asked).to.deep.equal(['What is your name?']);
      expect(await codeOf(words(server, 'test_input_required_result_sampling'))).to.equal('ERR_MCP_ANSWER');
    } finally {
      await server.close();
    }
  });

  it('tells the server that there is no model and no user for its requests', async () => {
    const { server, heard } = await speakTo(await start(startLegacyServer));
    try {
      const sampled = await callTool(
        server,
        { tool: 'test_sampling', words: ['prompt=hi'], json: undefined },
        () => undefined,
      );
      expect(sampled.isError, JSON.stringify(sampled)).to.equal(true);
      const asked = await callTool(
        server,
        { tool: 'test_elicitation', words: ['message=hi'], json: undefined },
        () => undefined,
      );
      expect(asked.isError, JSON.stringify(asked)).to.equal(true);
      const failed = await callTool(
        server,
        { tool: 'test_error_handling', words: [], json: undefined },
        () => undefined,
      );
      expect(failed.isError).to.equal(true);
      expect(heard.asked).to.deep.equal([]);
    } finally {
      await server.close();
    }
  });

  it('ends its session when it exits', async () => {
    const { url } = await proxies.open(everythingBackend());
    const ended: number[] = [];
    const watched: typeof openFetch = async (options) => {
      const opened = await openFetch(options);
      const fetch: typeof opened.fetch = async (input, init) => {
        const response = await opened.fetch(input, init);
        if (init?.method === 'DELETE') ended.push(response.status);
        return response;
      };
      return { ...opened, fetch };
    };
    const { server } = await speakTo(url, { opens: watched });
    await server.close();
    expect(ended).to.have.lengthOf(1);
    expect(ended[0]).to.be.within(200, 204);
  });

  it('sends a request again while the server starts, and reports a server that never does', async () => {
    let refusals = 2;
    const { url: served } = await proxies.open(everythingBackend());
    const server = createServer((request, response) => {
      refusals -= 1;
      if (refusals >= 0) {
        response.writeHead(503, { 'Retry-After': '0' }).end();
        return;
      }
      const { method = '', headers } = request;
      const sent = forward(served, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(sent);
    }).listen(0, '127.0.0.1');
    listening.push(server);
    await once(server, 'listening');
    // SAFETY: a TCP server has a port.
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const { server: opened } = await speakTo(url);
    expect(refusals).to.be.lessThan(0);
    expect(await words(opened, 'get-sum', 'a=2', 'b=40')).to.contain('42');
    await opened.close();
    refusals = 1000;
    expect(await codeOf(speakTo(url, { timeoutMs: 200 }))).to.be.oneOf([
      'ERR_MCP_ANSWER',
      'ERR_MCP_UNREACHABLE',
    ]);
  });

  it('connects again over HTTP+SSE while the server starts', async () => {
    let refusals = 2;
    let events: ServerResponse | undefined;
    const server = createServer(async (request, response) => {
      if (request.method === 'GET') {
        events = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        events.write('event: endpoint\ndata: /messages\n\n');
        return;
      }
      const body = await readText(request);
      response.writeHead(202).end();
      const { id, method, params } = JSON.parse(body);
      if (id === undefined) return;
      const isRefused = method === 'initialize' && (refusals -= 1) >= 0;
      const serverInfo = { name: 's', version: '1' };
      const answer = isRefused
        ? {
            error: {
              code: -32603,
              message: 'The server is still starting.',
              data: { retryAfterSeconds: 0 },
            },
          }
        : {
            result: {
              protocolVersion: params?.protocolVersion,
              capabilities: { tools: {} },
              serverInfo,
              tools: [],
            },
          };
      events?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n\n`);
    }).listen(0, '127.0.0.1');
    listening.push(server);
    await once(server, 'listening');
    // SAFETY: a TCP server has a port.
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`);
    const { server: opened } = await speakTo(url, { transport: 'sse' });
    expect(await listTools(opened)).to.deep.equal([]);
    expect(refusals).to.equal(-1);
    await opened.close();
  });

  it('reports why a server fails', async () => {
    const closed = await answering(200, '{}');
    const silent = await answering(200, undefined);
    const cases: readonly (readonly [URL, Parameters<typeof speakTo>[1], string])[] = [
      [await answering(401, '{}'), {}, 'ERR_MCP_UNAUTHORIZED'],
      [await answering(401, '{}'), { transport: 'sse' }, 'ERR_MCP_UNAUTHORIZED'],
      [await answering(503, '<html>'), {}, 'ERR_MCP_ANSWER'],
      [closed, {}, 'ERR_MCP_ANSWER'],
      [silent, { timeoutMs: 50 }, 'ERR_MCP_UNREACHABLE'],
      [new URL('http://127.0.0.1:1/mcp'), {}, 'ERR_MCP_UNREACHABLE'],
    ];
    for (const [url, more, code] of cases) {
      const failed = speakTo(url, more);
      expect(await codeOf(failed), `${url.href} ${JSON.stringify(more)}`).to.equal(code);
    }
  });
});
