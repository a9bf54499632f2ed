import type { ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { DelayedResponses } from './support/delayed-responses.ts';
import { HttpBackendUnderTest } from './support/http-backend.ts';
import { McpClient } from './support/mcp-client.ts';
import { bodyOf, MODERN } from './support/modern-client.ts';
import { modernScript } from './support/modern-script.ts';
import { Proxies } from './support/proxy-under-test.ts';
import { type Script, type SentMessage, ScriptedServers } from './support/scripted-server.ts';

const CLIENTS = 64;
const ROUNDS = 8;
/** Session id in the requests of all Modern clients, which have no sessions. */
const FOREIGN = 'a-session-of-somebody-else';
const TOKEN = 'the-same-token';

interface Setting {
  readonly era: 'legacy' | 'modern';
  readonly path: 'bridge, own processes' | 'bridge, shared process' | 'transparent';
  /** Whether a middleware judges the responses. */
  readonly isJudged?: boolean;
}

const SETTINGS: readonly Setting[] = [
  { era: 'legacy', path: 'bridge, own processes' },
  { era: 'legacy', path: 'bridge, shared process' },
  { era: 'legacy', path: 'transparent' },
  { era: 'modern', path: 'bridge, own processes' },
  { era: 'modern', path: 'transparent' },
  { era: 'legacy', path: 'transparent', isJudged: true },
  { era: 'modern', path: 'transparent', isJudged: true },
  { era: 'modern', path: 'bridge, own processes', isJudged: true },
];

const JUDGE = { name: 'judge', placed: 'filter', instance: { onResponse: () => undefined } } as const;

/** 64 concurrent clients use the same ids and tokens. Responses come in batches and out of order. */
describe('delivery of responses to their own client', function () {
  this.timeout(limitMs(60_000));
  const proxies = new Proxies();
  const backends: HttpBackendUnderTest[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  after(() => agent.destroy());
  afterEach(async () => {
    await proxies.close();
    await Promise.all(backends.splice(0).map((backend) => backend.close()));
  });

  for (const setting of SETTINGS) {
    it(`reaches no other client: ${setting.era}, ${setting.path}${setting.isJudged === true ? ', judged' : ''}`, async () => {
      const each = fc.asyncProperty(fc.integer(), (seed) => tryOnce(setting, seed));
      await fc.assert(
        each.afterEach(() => proxies.close()),
        trials({ short: 1, long: 200 }),
      );
    });
  }

  async function tryOnce({ era, path, isJudged = false }: Setting, seed: number): Promise<void> {
    const answers = new DelayedResponses(CLIENTS, seed);
    const backend = path === 'transparent' ? await openHttp(answers) : openStdio(era, path, answers);
    const { url, proxy } = await proxies.open(backend, {
      limits: { maxProcesses: CLIENTS, spareDelayMs: 60_000 },
      ...(isJudged ? { middleware: [JUDGE] } : {}),
    });
    const clients: Readonly<Record<string, string>>[] = [];
    for (let at = 0; at < CLIENTS; at += 1) clients.push(await headersOf(era, url));
    await Promise.all(clients.map((headers, client) => callAll(url, headers, client, era)));
    expect(answers.given).to.equal(CLIENTS * ROUNDS);
    expect(proxy.stats).to.include({ droppedAnswers: 0, droppedNotifications: 0, waiting: 0 });
  }

  /** Makes one call after the other. All clients use the same id at the same time. */
  async function callAll(
    url: URL,
    headers: Readonly<Record<string, string>>,
    client: number,
    era: Setting['era'],
  ): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const own = `${client}/${round}`;
      const wantsProgress = round % 2 === 0;
      const messages = await post(url, headers, callOf(era, round, own, wantsProgress));
      const ends = messages.filter(({ id }) => id !== undefined);
      expect(ends, own).to.deep.equal([{ jsonrpc: '2.0', id: round, result: { own } }]);
      const progress = messages.filter(({ method }) => method === 'notifications/progress');
      expect(progress.map(({ params }) => [params?.progressToken, params?.message])).to.deep.equal(
        wantsProgress ? [[TOKEN, own]] : [],
      );
      expect(messages).to.have.length(wantsProgress ? 2 : 1);
    }
  }

  function openStdio(era: Setting['era'], path: Setting['path'], answers: DelayedResponses): ServerBackend {
    const received: Script['received'] = (message, server) => {
      if (message.method === 'initialize') server.greet(message);
      if (message.method !== 'tools/call') return;
      answers.hold(() => {
        for (const said of answersTo(message)) server.say(said);
      });
    };
    const servers = new ScriptedServers(era === 'modern' ? modernScript({ received }) : { received });
    return servers.backend({ sessions: path === 'bridge, shared process' ? 'shared' : 'own' });
  }

  async function openHttp(answers: DelayedResponses): Promise<ServerBackend> {
    let sessions = 0;
    const backend = await HttpBackendUnderTest.start(({ body, headers }, response) => {
      const message: SentMessage = { text: '', ...(JSON.parse(body.toString('utf8')) as object) };
      // A request has either a protocol version in `_meta` or a session id, never both.
      expect(message.params?.['_meta']?.['io.modelcontextprotocol/protocolVersion'] === undefined).to.equal(
        headers['mcp-session-id'] !== undefined || message.method === 'initialize',
      );
      if (message.method !== 'tools/call') {
        sessions += 1;
        const session = message.method === 'initialize' ? { 'Mcp-Session-Id': `session-${sessions}` } : {};
        response.writeHead(message.id === undefined ? 202 : 200, {
          'Content-Type': 'application/json',
          ...session,
        });
        response.end(
          message.id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }),
        );
        return;
      }
      answers.hold(() => {
        const said = answersTo(message).map((one) => JSON.stringify({ jsonrpc: '2.0', ...one }));
        const isStream = said.length > 1;
        response.writeHead(200, { 'Content-Type': isStream ? 'text/event-stream' : 'application/json' });
        response.end(isStream ? said.map((one) => `event: message\ndata: ${one}\n\n`).join('') : said[0]);
      });
    });
    backends.push(backend);
    return { carries: 'http', transport: 'streamable-http', target: backend.url, isRemote: false };
  }

  async function post(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<readonly SentMessage[]> {
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        agent,
      });
      sent.once('error', reject);
      sent.once('response', (response) => resolve(readText(response)));
      sent.end(body);
    });
    const texts = answer.startsWith('{')
      ? [answer]
      : [...answer.matchAll(/^data: (.+)$/gm)]
          .map(([, data = '']) => data)
          .filter((data) => data.trim() !== '');
    return texts.map((text) => JSON.parse(text) as SentMessage);
  }
});

/**
 * Returns the server's messages for a call: a progress notification if requested, then the result. Both name
 * the call.
 */
function answersTo({ id, params }: SentMessage): readonly object[] {
  const { own } = params.arguments;
  const progressToken: unknown = params['_meta']?.progressToken;
  const progress = { method: 'notifications/progress', params: { progressToken, progress: 1, message: own } };
  return [...(progressToken === undefined ? [] : [progress]), { id, result: { own } }];
}

function callOf(era: Setting['era'], id: number, own: string, wantsProgress: boolean): string {
  const params = { name: 'a', arguments: { own } };
  const meta = wantsProgress ? { progressToken: TOKEN } : {};
  if (era === 'modern') return bodyOf({ id, method: 'tools/call', params, meta });
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...params, _meta: meta } });
}

async function headersOf(era: Setting['era'], url: URL): Promise<Readonly<Record<string, string>>> {
  const common = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  if (era === 'legacy') return { ...common, 'Mcp-Session-Id': (await McpClient.connect(url)).session };
  return {
    ...common,
    'Mcp-Session-Id': FOREIGN,
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'a',
  };
}
