import { HttpBackendUnderTest, type Received } from './http-backend.ts';
import { initialize } from './mcp-client.ts';
import { MODERN } from './modern-client.ts';
import { send } from './http-client.ts';
import { Proxies } from './proxy-under-test.ts';
import { type SentMessage, ScriptedServers } from './scripted-server.ts';

/** Paths on which the protocol cases run. Without a policy, an HTTP server checks its requests itself. */
export const CASE_PATHS = ['bridge', 'transparent, with a policy', 'transparent'] as const;
export type CasePath = (typeof CASE_PATHS)[number];

/** A revision that the servers speak, and that the proxy does not know. */
export const LATER = '2099-01-01';

export interface OpenCase {
  readonly url: URL;
  /** Client messages that reached the server, without handshakes and the proxy's own probes. */
  readonly reached: () => readonly string[];
  /** Header fields that the server received; empty over standard input and output. */
  readonly fields: () => readonly string[];
}

/** Servers of both eras behind each path, with one tool that accepts any arguments. */
export class Cases {
  readonly #proxies = new Proxies();
  readonly #backends: HttpBackendUnderTest[] = [];

  async open(path: CasePath): Promise<OpenCase> {
    return path === 'bridge' ? this.#openBridge() : this.#openTransparent(path);
  }

  async close(): Promise<void> {
    await this.#proxies.close();
    await Promise.all(this.#backends.splice(0).map((backend) => backend.close()));
  }

  async #openBridge(): Promise<OpenCase> {
    const servers = new ScriptedServers({
      received: (message, server) => {
        const response = answerTo(message);
        if (message.id !== undefined && message.method !== undefined)
          server.say({ id: message.id, ...response });
      },
    });
    const { url } = await this.#proxies.open(servers.backend());
    const reached = () => servers.all.flatMap(({ sent }) => sent.filter(isOfClient).map(({ text }) => text));
    return { url, reached, fields: () => [] };
  }

  async #openTransparent(path: CasePath): Promise<OpenCase> {
    const backend = await HttpBackendUnderTest.start(({ body }, response) => {
      const message = tryParse(body);
      const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'of-the-backend' };
      response.writeHead(message === undefined ? 400 : statusOf(message), headers);
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message?.id, ...answerTo(message ?? { text: '' }) }));
    });
    this.#backends.push(backend);
    const middleware = [{ name: 'nothing', placed: 'validate' as const, instance: {} }];
    const { url } = await this.#proxies.open(
      { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false },
      path === 'transparent' ? {} : { middleware },
    );
    const ofClients = (): readonly Received[] =>
      backend.received.filter(({ body }) => {
        const message = tryParse(body);
        return message === undefined || isOfClient(message);
      });
    return {
      url,
      reached: () => ofClients().map(({ body }) => body.toString('utf8')),
      fields: () => ofClients().flatMap(({ rawHeaders }) => rawHeaders.filter((_field, at) => at % 2 === 0)),
    };
  }
}

/** Opens a session and returns the headers for further requests. */
export async function legacyHeaders(url: URL, version: string): Promise<Record<string, string>> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', ...initialize(version) });
  const response = await send(url, { method: 'POST', headers, body });
  const session = String(response.headers['mcp-session-id']);
  return { ...headers, 'Mcp-Session-Id': session, 'MCP-Protocol-Version': version };
}

function answerTo({ method, params }: SentMessage): object {
  if (method === 'initialize') {
    const serverInfo = { name: 's', version: '1' };
    return { result: { protocolVersion: params?.protocolVersion, capabilities: {}, serverInfo } };
  }
  if (method === 'server/discover')
    return { result: { supportedVersions: [MODERN, LATER], capabilities: {} } };
  if (method === 'tools/list') return { result: { tools: [], ttlMs: 5, cacheScope: 'public' } };
  if (method === 'tools/call') return { result: { content: [] } };
  return { error: { code: -32601, message: 'Method not found' } };
}

/** Returns the HTTP status that a Modern server sends for a message. */
function statusOf({ method, id }: SentMessage): number {
  if (id === undefined) return 202;
  return method === undefined || 'result' in answerTo({ text: '', method }) ? 200 : 404;
}

function isOfClient({ method, params }: SentMessage): boolean {
  if (method === 'initialize' || method === 'notifications/initialized') return false;
  return params?.['_meta']?.['io.modelcontextprotocol/clientInfo']?.name !== 'portolan';
}

function tryParse(body: Buffer): SentMessage | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { text: '', ...value };
  } catch {
    return undefined;
  }
}
