import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { proxyAudit } from '@portolan/middleware-audit';
import type { ProxyMiddleware, ServerBackend } from '@portolan/plugin-api';
import { createTestProxyContext, eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { Events, open as openRequest, send } from '../../../packages/proxy/test/support/http-client.ts';
import { initialize } from '../../../packages/proxy/test/support/mcp-client.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers, type SentMessage } from '../../../packages/proxy/test/support/scripted-server.ts';

const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/**
 * Returns the response to a call. Calls of `broken` are errors. Calls of `silent` and `cancelled` have none.
 */
function answerOf({ id, method, params }: Partial<SentMessage>): object | undefined {
  if (id === undefined || method === undefined || /^(?:silent|cancelled)$/.test(String(params?.name)))
    return undefined;
  if (params?.name === 'broken') return { id, error: { code: -32_000, message: 'it is broken' } };
  const handshake = {
    protocolVersion: '2024-11-05',
    capabilities: {},
    serverInfo: { name: 's', version: '1' },
  };
  return { id, result: method === 'initialize' ? handshake : { content: [] } };
}

describe('audit log of calls whose responses arrive on a separate stream', function () {
  this.timeout(120_000);
  const proxies = new Proxies();
  const opened: (() => Promise<unknown>)[] = [];
  let folder: string;
  let log: string;
  afterEach(async () => {
    await proxies.close();
    for (const close of opened.splice(0).toReversed()) await close();
  });

  async function open(backend: ServerBackend, transport: string) {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-events-'));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    log = path.join(folder, 'audit.jsonl');
    const context = createTestProxyContext();
    const settings = {
      enabled: true,
      includeRequestData: false,
      includeResponseData: true,
      detectApplicationErrors: true,
      maxDataSize: 1024,
      maxDelegationDepth: 10,
      logFile: log,
      maxFileSize: 0,
      failClosed: false,
    };
    const instance: ProxyMiddleware = await proxyAudit.create(settings, {
      ...context,
      workload: { ...context.workload, transport },
    });
    opened.push(async () => await instance.close?.());
    return await proxies.open(backend, { middleware: [{ name: 'audit', placed: 'observe', instance }] });
  }

  const ways = [
    {
      title: 'of a server that speaks HTTP with server-sent events',
      start: async () => {
        let stream: ServerResponse | undefined;
        const backend = await HttpBackendUnderTest.start(({ method, body }, response) => {
          if (method === 'GET') {
            stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
            stream.write('event: endpoint\ndata: /messages?session_id=7\n\n');
            return;
          }
          response.writeHead(202).end('Accepted');
          const answer = answerOf(JSON.parse(body.toString()));
          if (answer !== undefined)
            stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n\n`);
        });
        opened.push(() => backend.close());
        return await open({ carries: 'http', transport: 'sse', target: backend.url, isRemote: false }, 'sse');
      },
    },
    {
      title: 'of a server on standard input and output, with --proxy-mode sse',
      start: async () => {
        const servers = new ScriptedServers({
          received: (message, server) => {
            const answer = answerOf(message);
            if (answer !== undefined) server.say(answer);
          },
        });
        const { open: openConnection } = servers;
        return await open({ carries: 'messages', mode: 'sse', sessions: 'own', openConnection }, 'stdio');
      },
    },
  ];
  for (const { title, start } of ways) {
    it(title, async () => {
      const { url, origin } = await start();
      const events = new Events(await openRequest(url, { headers: { Accept: 'text/event-stream' } }));
      const endpoint = await eventually(() => {
        const found = events.all.find(({ event: type }) => type === 'endpoint');
        expect(found).not.to.equal(undefined);
        return new URL(found?.data ?? '', origin);
      });
      const post = (message: object) =>
        send(endpoint, {
          method: 'POST',
          headers: TYPE,
          body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        });
      const call = (id: number, name: string) => post({ id, method: 'tools/call', params: { name } });
      await post(initialize('2024-11-05'));
      await events.got(({ id }) => id === 'init');
      await call(1, 'works');
      await events.got(({ id }) => id === 1);
      await call(2, 'broken');
      await events.got(({ id }) => id === 2);
      await send(endpoint, { method: 'POST', headers: TYPE, body: '{"jsonrpc":"2.0","id":3,"id":4}' });
      await call(5, 'silent');
      await call(6, 'cancelled');
      await post({ method: 'notifications/cancelled', params: { requestId: 6 } });
      // The session continues without a response.
      await eventually(async () => expect(await readFile(log, 'utf8')).to.include('"name":"cancelled"'));
      events.leave();
      await eventually(async () => {
        const lines = (await readFile(log, 'utf8')).split('\n').filter(Boolean);
        // oxlint-disable-next-line typescript/no-explicit-any -- lines have many forms
        const written = lines.map((line): any => JSON.parse(line));
        const shown = written.map(({ type, outcome, target, metadata }) => [
          type,
          outcome,
          target.name,
          metadata.extra.jsonrpc_error_code,
        ]);
        expect(shown).to.deep.include.members([
          ['sse_connection', 'success', undefined, undefined],
          ['mcp_initialize', 'success', undefined, undefined],
          ['mcp_tool_call', 'success', 'works', undefined],
          ['mcp_tool_call', 'application_error', 'broken', -32_000],
        ]);
        const ofCalls = written.filter(({ type }) => type === 'mcp_tool_call');
        expect(ofCalls.find(({ target }) => target.name === 'works').data.response.result).to.deep.equal({
          content: [],
        });
        for (const { metadata } of ofCalls.filter(({ target }) => !/silent|cancelled/.test(target.name))) {
          expect(metadata.extra.transport).to.equal('sse');
          expect(metadata.extra.response_size_bytes).to.be.greaterThan('Accepted'.length);
        }
        // The address of a session gives access to it.
        expect(lines.join('\n')).not.to.include(endpoint.search.slice(1));
        expect(
          written.filter(({ type, outcome }) => type === 'mcp_request' && outcome !== 'success'),
        ).to.have.lengthOf(1);
      });
    });
  }
});
