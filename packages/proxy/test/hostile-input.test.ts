import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { connect } from 'node:net';
import { begin, send } from './support/http-client.ts';
import { initialize, McpClient } from './support/mcp-client.ts';
import { Proxies, type ProxyUnderTest, type TestProxyOptions } from './support/proxy-under-test.ts';
import { ScriptedServers } from './support/scripted-server.ts';

const TYPE = { 'Content-Type': 'application/json' };
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

describe('openProxy with malicious or invalid input', () => {
  const proxies = new Proxies();
  let servers: ScriptedServers;
  afterEach(() => proxies.close());

  function open(options: TestProxyOptions = {}): Promise<ProxyUnderTest> {
    servers = new ScriptedServers({
      received: (message, server) => {
        if (message.method === 'initialize') server.greet(message);
        else if (message.id !== undefined) server.say({ id: message.id, result: {} });
      },
    });
    const backend = servers.backend();
    return proxies.open(backend, options);
  }

  /** Returns the methods that the server received, without the handshake. */
  function reached(): readonly unknown[] {
    return servers.all.flatMap(({ sent }) =>
      sent
        .map(({ method }) => method)
        .filter((method) => method !== 'initialize' && method !== 'notifications/initialized'),
    );
  }

  const bodies = [
    { title: 'a truncated message', body: '{"jsonrpc":"2.0","id":1,', status: 400, code: -32700 },
    { title: 'no body', body: '', status: 400, code: -32700 },
    { title: 'bytes that are not UTF-8', body: Buffer.from([0x22, 0xff, 0x22]), status: 400, code: -32700 },
    {
      title: 'an id that is null',
      body: '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      status: 400,
      code: -32600,
    },
    {
      title: 'a duplicate member "method"',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}',
      status: 400,
      code: -32600,
    },
    {
      title: 'the members "Method" and "method"',
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}',
      status: 400,
      code: -32600,
    },
    {
      title: 'arguments nested 100000 deep',
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}}`,
      status: 400,
      code: -32600,
    },
  ];
  for (const { title, body, status, code } of bodies) {
    it(`refuses ${title}, and serves the next request`, async () => {
      const { url } = await open();
      const client = await McpClient.connect(url);
      const answer = await send(url, { method: 'POST', headers: client.headers(), body });
      expect([answer.status, answer.json.error.code]).to.deep.equal([status, code]);
      expect(answer.json).to.not.have.property('id');
      expect(reached()).to.deep.equal([]);
      expect((await client.post(LIST)).status).to.equal(200);
    });
  }

  it('treats names such as __proto__ and constructor as data', async () => {
    const { url } = await open();
    const client = await McpClient.connect(url);
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{"__proto__":{"polluted":1},"constructor":1}}';
    expect((await client.post(body)).status).to.equal(200);
    expect(servers.greeted[0]?.sent.at(-1)?.text).to.equal(body.replace('"id":1', '"id":"p-2"'));
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  for (const chunked of [false, true]) {
    it(`refuses a body of 9 MiB ${chunked ? 'of unknown length' : 'before it is read'}`, async () => {
      const { url } = await open();
      const client = await McpClient.connect(url);
      const bytes = 9 * 1024 * 1024;
      const answer = await new Promise<{ status: number; close: string }>((resolve, reject) => {
        const length = chunked ? {} : { 'Content-Length': String(bytes) };
        const request = begin(url, { headers: { ...client.headers(), ...length } });
        request.once('error', reject);
        request.once('response', (response) => {
          response.resume();
          resolve({ status: response.statusCode ?? 0, close: String(response.headers.connection) });
        });
        request.end(Buffer.alloc(bytes, 0x20));
      });
      expect(answer).to.deep.equal({ status: 413, close: 'close' });
      expect(reached()).to.deep.equal([]);
      expect((await client.post(LIST)).status).to.equal(200);
    });
  }

  const types = [
    { type: 'text/plain', status: 415 },
    { type: 'application/jsonx', status: 415 },
    { type: 'application/json-rpc', status: 415 },
    { type: 'multipart/form-data; boundary=application/json', status: 415 },
    { type: 'Application/JSON; charset=utf-8', status: 200 },
    { type: ' application/json;charset=utf-8', status: 200 },
  ];
  for (const { type, status } of types) {
    it(`responds with ${status} to a body of the type ${JSON.stringify(type)}`, async () => {
      const { url } = await open();
      const client = await McpClient.connect(url);
      expect((await client.post(LIST, { headers: { 'Content-Type': type } })).status).to.equal(status);
      expect(reached()).to.have.length(status === 200 ? 1 : 0);
    });
  }

  it('refuses compressed bodies', async () => {
    const { url } = await open();
    const answer = await new McpClient(url).post(initialize(), { headers: { 'Content-Encoding': 'gzip' } });
    expect(answer.status).to.equal(415);
  });

  const headers = [
    { title: 'two Authorization headers', lines: ['Authorization: a', 'Authorization: b'], status: 400 },
    { title: 'two session id headers', lines: ['Mcp-Session-Id: a', 'mcp-session-id: b'], status: 400 },
    {
      title: 'two version headers',
      lines: ['MCP-Protocol-Version: 2025-06-18', 'MCP-Protocol-Version: 2025-06-18'],
      status: 400,
    },
    { title: 'two equal parameters', lines: ['Mcp-Param-A: a', 'Mcp-Param-a: a'], status: 400 },
    {
      title: 'two Origin headers',
      lines: ['Origin: http://localhost:PORT', 'Origin: http://localhost:PORT'],
      status: 403,
    },
    { title: 'a session id with a space', lines: ['Mcp-Session-Id: a b'], status: 400 },
    { title: 'a session id of 10 kB', lines: [`Mcp-Session-Id: ${'x'.repeat(10_000)}`], status: 400 },
    { title: 'an upgrade to WebSocket', lines: ['Connection: Upgrade', 'Upgrade: websocket'], status: 400 },
    {
      title: 'an upgrade to HTTP/2, which is ignored',
      lines: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: x'],
      status: 200,
    },
    { title: 'headers that are too large', lines: [`X-Large: ${'x'.repeat(20_000)}`], status: 431 },
    { title: 'a foreign host', lines: ['Host: evil.example.com'], status: 403, host: false },
    {
      title: 'a foreign host and origin',
      lines: ['Host: evil.example.com', 'Origin: http://evil.example.com'],
      status: 403,
      host: false,
    },
    {
      title: 'the name of the host for containers',
      lines: ['Host: host.docker.internal:PORT'],
      status: 200,
      host: false,
    },
    { title: 'an address in IPv6', lines: ['Host: [::1]:PORT'], status: 200, host: false },
    { title: 'no host', lines: [], status: 400, host: false },
    { title: 'its own origin', lines: ['Origin: http://localhost:PORT'], status: 200 },
    { title: 'its own origin in capitals', lines: ['Origin: HTTP://LOCALHOST:PORT'], status: 200 },
    { title: 'its own origin with another port', lines: ['Origin: http://localhost:1'], status: 403 },
    { title: 'its own origin with a user', lines: ['Origin: http://a@localhost:PORT'], status: 403 },
    { title: 'its own origin and a path', lines: ['Origin: http://localhost:PORT/x'], status: 403 },
    {
      title: 'a name that begins like its own',
      lines: ['Origin: http://localhost.evil.example:PORT'],
      status: 403,
    },
    { title: 'the origin null', lines: ['Origin: null'], status: 403 },
    {
      title: 'an allowed origin',
      lines: ['Origin: https://inspector.acme.example'],
      status: 200,
      cors: true,
    },
    {
      title: 'an allowed origin of an editor',
      lines: ['Origin: vscode-webview://abc'],
      status: 200,
      cors: true,
    },
  ];
  for (const { title, lines, status, host = true, cors = false } of headers) {
    it(`responds with ${status} to ${title}`, async () => {
      const { proxy } = await open({
        allowedOrigins: ['https://Inspector.acme.example:443', 'vscode-webview://abc'],
      });
      const body = JSON.stringify({ jsonrpc: '2.0', ...initialize() });
      const head = [
        'POST /mcp HTTP/1.1',
        ...(host ? [`Host: 127.0.0.1:${proxy.port}`] : []),
        ...lines.map((line) => line.replace('PORT', String(proxy.port))),
        'Content-Type: application/json',
        'Accept: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
      ].filter(
        (line, at, all) =>
          !line.startsWith('Connection: close') ||
          !all.some((other) => other.startsWith('Connection: Upgrade')),
      );
      const answer = await exchange(proxy.port, `${head.join('\r\n')}\r\n\r\n${body}`);
      expect(answer.split('\r\n')[0]).to.include(` ${status} `);
      expect(/access-control/i.test(answer)).to.equal(cors);
      expect(answer).to.not.include('"id":null');
    });
  }

  it('B16: closes a connection with an incomplete request, and serves other requests in the meantime', async () => {
    const { url, proxy } = await open({
      limits: { listener: { headersMs: 1000, receiveMs: 1000, keepAliveMs: 10_000, checkMs: 50 } },
    });
    const stuck = exchange(
      proxy.port,
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    );
    expect((await McpClient.connect(url)).session).to.not.equal('');
    expect(await stuck).to.match(/^HTTP\/1\.1 408 /);
  });

  it('refuses data that is not HTTP', async () => {
    const { proxy } = await open();
    expect(await exchange(proxy.port, 'hello\r\n\r\n')).to.match(/^HTTP\/1\.1 400 /);
    expect(await exchange(proxy.port, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).to.equal('');
  });

  it('serves its own paths, and never forwards them to a server', async () => {
    const { origin, proxy } = await open();
    const metadata = await send(`${origin}/.well-known/oauth-protected-resource/mcp`);
    expect([metadata.status, metadata.json]).to.deep.equal([404, { error: 'not_found' }]);
    const metrics = await send(`${origin}/metrics`);
    expect(metrics.status).to.equal(404);
    expect(metrics.json).to.have.property('error_description').that.includes('not enabled');
    const elsewhere = await send(`${origin}/elsewhere`, { method: 'POST', headers: TYPE, body: LIST });
    expect([elsewhere.status, elsewhere.json.error.message]).to.deep.equal([
      404,
      'Nothing is served at this path; the server is at /mcp.',
    ]);
    const patch = await send(`${origin}/mcp`, { method: 'PATCH' });
    expect([patch.status, patch.headers.allow]).to.deep.equal([405, 'POST, GET, DELETE']);
    const health = await send(`${origin}/health`);
    expect(health.json).to.include({ status: 'healthy', transport: 'stdio', instance: 'test-instance' });
    expect(health.json.timestamp).to.match(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
    expect((await send(`${origin}/health`, { method: 'POST' })).status).to.equal(405);
    expect(proxy.stats.sessions).to.equal(0);
  });

  it('releases everything when a client disconnects in the middle of its body', async () => {
    const { url, proxy } = await open();
    const request = begin(url, { headers: { ...TYPE, 'Content-Length': '100' } });
    request.write('{');
    await eventually(() => expect(request.socket?.writableLength).to.equal(0));
    request.destroy();
    expect((await McpClient.connect(url)).session).to.not.equal('');
    expect(proxy.stats.waiting).to.equal(0);
  });
});

/** Sends bytes and reads until the connection closes. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      // A kept-alive connection does not close, so the body's length tells when the response is complete.
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (length !== undefined && Buffer.byteLength(body) >= Number(length)) socket.destroy();
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
  });
}
