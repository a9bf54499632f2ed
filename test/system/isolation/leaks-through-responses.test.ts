import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { type Answer, Events, open, send } from '../../../packages/proxy/test/support/http-client.ts';
import { listForeignReferences } from '../../support/foreign-references.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

const PROGRAM = path.resolve(import.meta.dirname, 'support/talking-server.js');
const RUN = randomBytes(3).toString('hex');
const TYPE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const SECRET = 'hunter2-of-the-container';

const WAYS = [
  { title: 'over HTTP+SSE', transport: 'sse', flags: [] },
  { title: 'over HTTP+SSE, with policies', transport: 'sse', flags: ['--tools', 'look'] },
  { title: 'over streamable HTTP', transport: 'streamable-http', flags: [] },
  { title: 'over streamable HTTP, with policies', transport: 'streamable-http', flags: ['--tools', 'look'] },
] as const;

/**
 * Texts of a server in a container, and the expected result. Content passes unchanged and is never fetched.
 * Portolan refuses addresses that would send its own requests to another host, and serves `/.well-known/`
 * itself.
 */
const SAID = [
  { row: 'icons, websiteUrl', ask: 'initialize', finds: 3 },
  { row: 'icons of tools, pagination cursors', ask: 'tools/list', finds: 3 },
  { row: 'texts, resource links', ask: 'tools/call', finds: 3 },
  { row: 'resources, pagination cursors', ask: 'resources/list', finds: 3 },
] as const;
const PAGES = [
  { row: 'redirects', page: '/redirect', status: 502, passes: [] },
  { row: 'Location, Link', page: '/created', status: 201, passes: ['location', 'content-location', 'link'] },
  { row: 'Refresh', page: '/refresh', status: undefined, passes: ['refresh'] },
  { row: 'resource_metadata', page: '/login', status: 401, passes: ['www-authenticate'] },
  { row: 'authorization_servers', page: '/.well-known/oauth-authorization-server', status: 404, passes: [] },
  { row: 'cards', page: '/.well-known/mcp/server-card.json', status: 404, passes: [] },
] as const;

describe('addresses in responses of an isolated workload (profile none)', function () {
  this.timeout(300_000);
  let user: WorkloadUser | undefined;
  let catcher: Server;
  let elsewhere: string;
  const hits: string[] = [];

  before(async function () {
    user = await WorkloadUser.open(this);
    catcher = createServer(({ method, url }, response) => {
      hits.push(`${method} ${url}`);
      response.end('{}');
    });
    catcher.on('connection', () => hits.push('connection'));
    catcher.listen(0, '0.0.0.0');
    await once(catcher, 'listening');
    // SAFETY: a TCP server has a port.
    elsewhere = `127.0.0.1:${(catcher.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    expect(hits.splice(0)).to.deep.equal([]);
  });
  after(async () => {
    catcher?.closeAllConnections();
    catcher?.close();
    await user?.close();
  });

  async function run(
    name: string,
    transport: string,
    flags: readonly string[],
    endpoints: readonly string[] = [],
  ): Promise<URL> {
    if (user === undefined) throw new Error('no user');
    const url = await user.run(
      `--name=${name}`,
      `--transport=${transport}`,
      '--target-port=8000',
      '--permission-profile=none',
      '--start-timeout=2m',
      `--env=ADDRESS=http://${elsewhere}/told/${SECRET}`,
      `--env=ENDPOINTS=${JSON.stringify(endpoints)}`,
      `--volume=${PROGRAM}:/srv/talking.mjs:ro`,
      ...flags,
      'portolan-test/node',
      '--',
      'node',
      '/srv/talking.mjs',
    );
    return new URL(url);
  }

  it('endpoint event › makes the supervisor connect to no other host, and the first valid endpoint starts the workload', async () => {
    const own = 'http://127.0.0.1:8000';
    const endpoints = listForeignReferences({ elsewhere, own }).filter((one) => !/[\n\r\0]/.test(one));
    const few = endpoints.filter((_one, at) => at % 3 === 0);
    expect(few.length).to.be.greaterThan(19);
    const url = await run(`said-${RUN}-start`, 'sse', [], few);
    const events = new Events(await open(url, { headers: { Accept: 'text/event-stream' } }));
    await events.got(() => true).catch(() => undefined);
    expect(events.all[0]?.data).to.equal('/messages?session_id=1');
    events.leave();
    await user?.done('rm', `said-${RUN}-start`);
  });

  for (const [at, { title, transport, flags }] of WAYS.entries()) {
    it(`contents › pass unchanged, and Portolan fetches none of them: ${title}`, async () => {
      const name = `said-${RUN}-${at}`;
      const url = await run(name, transport, flags);
      const address = `http://${elsewhere}/told/${SECRET}`;
      for (const { row, page, status, passes } of PAGES) {
        const answer = await send(new URL(page, url), { headers: { Accept: 'application/json' } });
        if (status !== undefined) expect(answer.status, row).to.equal(status);
        expect(headersWith(answer, address), row).to.deep.equal(passes.toSorted());
      }
      const speak = transport === 'sse' ? speakEvents : speakStreamable;
      for (const { row, ask, finds } of SAID) {
        const { result, asides } = await speak(url, ask);
        expect(JSON.stringify(result).split(address).length - 1, row).to.equal(finds);
        if (ask !== 'tools/call') continue;
        expect(asides, 'log texts').to.include('notifications/message');
        expect(asides, 'elicitation addresses').to.include('elicitation/create');
      }
      await user?.done('rm', name);
    });
  }
});

function headersWith({ headers }: Answer, address: string): readonly string[] {
  const names = Object.keys(headers).filter((name) => String(headers[name]).includes(address));
  return names.filter((name) => name !== 'mcp-session-id').toSorted();
}

interface Spoken {
  readonly result: unknown;
  /** Methods of messages before the response. */
  readonly asides: readonly string[];
}

const bodyOf = (method: string): string => {
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: { url: {} } },
    clientInfo: { name: 'c', version: '1' },
    name: 'look',
    arguments: {},
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
};

/** A session id may look like an address: it is a text that the client only sends back. */
async function speakStreamable(url: URL, method: string): Promise<Spoken> {
  const begun = await send(url, { method: 'POST', headers: TYPE, body: bodyOf('initialize') });
  const session = String(begun.headers['mcp-session-id']);
  expect(session).to.match(/^http:\/\/127\.0\.0\.1:\d+\/told\//);
  const headers = method === 'initialize' ? TYPE : { ...TYPE, 'Mcp-Session-Id': session };
  const events = new Events(await open(url, { method: 'POST', headers, body: bodyOf(method) }));
  const { result } = await events.got(({ id, result: found }) => id === 7 && found !== undefined);
  return { result, asides: asidesOf(events) };
}

async function speakEvents(url: URL, method: string): Promise<Spoken> {
  const events = new Events(await open(url, { headers: { Accept: 'text/event-stream' } }));
  await open(new URL('/messages?session_id=1', url), { method: 'POST', headers: TYPE, body: bodyOf(method) });
  const { result } = await events.got(({ id, result: found }) => id === 7 && found !== undefined);
  events.leave();
  return { result, asides: asidesOf(events) };
}

function asidesOf({ messages }: Events): readonly string[] {
  return messages.flatMap(({ method }: { method?: string }) => method ?? []);
}
