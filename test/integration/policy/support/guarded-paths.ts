import { request } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type {
  AuthProvider,
  ClientMessage,
  ProxyMiddleware,
  ProxyMiddlewareContext,
  ServerBackend,
} from '@portolan/plugin-api';
import { createTestProxyContext, eventually } from '@portolan/plugin-testing';
import { cedarAuthorization } from '@portolan/proxy-authorization-cedar';
import { toolFilter } from '@portolan/proxy-tool-filter';
import { validatingWebhooks } from '@portolan/proxy-webhooks';
import { expect } from 'chai';
import { type Handle, HttpBackendUnderTest } from '../../../../packages/proxy/test/support/http-backend.ts';
import { Events, open, send } from '../../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../../packages/proxy/test/support/mcp-client.ts';
import { CAPABILITIES, CLAIM, MODERN } from '../../../../packages/proxy/test/support/modern-client.ts';
import { modernScript } from '../../../../packages/proxy/test/support/modern-script.ts';
import { Proxies } from '../../../../packages/proxy/test/support/proxy-under-test.ts';
import { ScriptedServers } from '../../../../packages/proxy/test/support/scripted-server.ts';
import {
  allow,
  openWebhookServer,
  type WebhookServer,
} from '../../../../plugins/proxy-webhooks/test/webhook-server.ts';

/** What clients call the one tool that they may call, and what the server calls it. */
export const OPEN = { visible: 'open', real: 'open_tool' } as const;
/** Hidden by the filter, gone under this name, refused by the webhook, refused by the authorizer. */
export const FORBIDDEN = ['hidden_tool', OPEN.real, 'hooked_tool', 'denied_tool'] as const;

export type Era = 'legacy' | 'modern';
export type HeaderChanges = Readonly<Record<string, string | undefined>>;

export interface Sent {
  readonly body: string | Buffer;
  /** Over those that a client sends; undefined takes one away. */
  readonly headers?: HeaderChanges;
  /** Bytes that are sent at a time; left out: all at once, with their length. */
  readonly piece?: number;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request to where the session of a client is, and tells everything that it is answered. */
interface Sender {
  readonly send: (
    request: (to: URL, session: string | undefined) => Promise<GuardedAnswer>,
  ) => Promise<GuardedAnswer>;
}

async function requestSender(url: URL, era: Era): Promise<Sender> {
  const client = era === 'legacy' ? await McpClient.connect(url, { version: '2025-03-26' }) : undefined;
  return { send: (sent) => sent(url, client?.session) };
}

/** A client that is answered on the stream of its session. */
class StreamSender implements Sender {
  readonly #events: Events;
  readonly #endpoint: URL;
  #barriers = 0;

  constructor(events: Events, endpoint: URL) {
    this.#events = events;
    this.#endpoint = endpoint;
  }

  static async open(url: URL): Promise<StreamSender> {
    const events = new Events(await open(url, { headers: { Accept: 'text/event-stream' } }));
    const endpoint = await eventually(() => {
      const found = events.all.find(({ event }) => event === 'endpoint');
      expect(found).not.to.equal(undefined);
      return new URL(found?.data ?? '', url);
    });
    const sender = new StreamSender(events, endpoint);
    await sender.#post(initialize('2025-03-26'));
    await events.got(({ id }) => id === 'init');
    await sender.#post({ method: 'notifications/initialized' });
    return sender;
  }

  async send(sent: Parameters<Sender['send']>[0]): Promise<GuardedAnswer> {
    const before = this.#events.all.length;
    const { status, text } = await sent(this.#endpoint, undefined);
    // What is answered behind it says that nothing of it is still to come.
    this.#barriers += 1;
    const barrier = `barrier ${this.#barriers}`;
    await this.#post({ id: barrier, method: 'ping', params: { [BARRIER]: true } });
    const said = await eventually(() => {
      const all = this.#events.all.slice(before).map(({ data }) => data);
      expect(all.some((data) => data.includes(barrier))).to.equal(true);
      return all;
    });
    return { status, text: [text, ...said.filter((data) => !data.includes(barrier))].join('\n') };
  }

  #post(message: object): Promise<unknown> {
    return send(this.#endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }
}

const BARRIER = 'sent behind what is tried';

function isBarrier(text: Buffer | string): boolean {
  return text.includes(BARRIER);
}

function httpTransport(hasStream: boolean): 'sse' | 'streamable-http' {
  return hasStream ? 'sse' : 'streamable-http';
}

/** A proxy with a tool filter, a webhook and an authorizer, in front of a server that remembers what it got. */
export interface GuardedPath {
  readonly title: string;
  readonly era: Era;
  readonly isBridge: boolean;
  readonly hasStream: boolean;
  /** A call as a client writes it. */
  readonly call: (name: string) => string;
  readonly post: (sent: Sent, name: string) => Promise<GuardedAnswer>;
  /** Writes a request by hand, of its first words and the lines of its usual headers, `Connection: close` among them. */
  readonly write: (raw: (start: string, head: string) => string, name: string) => Promise<GuardedAnswer>;
  /** Bodies of messages that the server got after the handshake. */
  readonly received: () => readonly Buffer[];
  /** What the authorizer was shown, in order. */
  readonly judged: ClientMessage[];
  /** What the webhook was asked. */
  readonly asked: () => readonly string[];
}

export const PATHS: readonly (readonly [
  title: string,
  era: Era,
  isBridge: boolean,
  /** Whether clients post to a session and are answered on its stream, as in 2024-11-05. */
  hasStream?: boolean,
])[] = [
  ['a server on standard input and output, with sessions', 'legacy', true],
  ['a server on standard input and output, without', 'modern', true],
  ['a server that speaks HTTP, with sessions', 'legacy', false],
  ['a server that speaks HTTP, without', 'modern', false],
  ['a server on standard input and output, by the stream of a session', 'legacy', true, true],
  ['a server that speaks HTTP with the stream of a session', 'legacy', false, true],
];

/** What a server that speaks HTTP answers to a list; what one on standard input and output writes, in one line or several. */
export interface ListAnswer {
  readonly http: (id: string, response: ServerResponse) => void;
  readonly line: (id: string) => string;
  /** What is written to the stream of a session. */
  readonly events: (id: string) => string;
}

/** A list that is filtered on its way to the client. */
export interface Listing {
  readonly method: string;
  /** Member of the result that the items are in, and member of an item that names it. */
  readonly member: string;
  readonly named: string;
  readonly filteredBy: 'the tool filter' | 'Cedar';
}

/** A list, and what the server answers to whoever asks for it. */
export interface AnsweredListing extends Listing {
  readonly answer: () => ListAnswer;
}

/** Opens guarded paths, and closes them after each test. */
export class GuardedPaths {
  readonly #proxies = new Proxies();
  readonly #backends: HttpBackendUnderTest[] = [];
  readonly #instances: ProxyMiddleware[] = [];
  #webhook: WebhookServer | undefined;

  async open(
    [title, era, isBridge, hasStream = false]: (typeof PATHS)[number],
    list?: AnsweredListing,
  ): Promise<GuardedPath> {
    this.#webhook ??= await openDenyingWebhook();
    const webhook = this.#webhook;
    const judged: ClientMessage[] = [];
    const { backend, received } = isBridge
      ? bridged(era, list, hasStream)
      : await this.#transparent(list, hasStream);
    const transport = isBridge ? 'stdio' : httpTransport(hasStream);
    const policy =
      list?.filteredBy === 'Cedar'
        ? { middleware: await this.#cedar(transport), authProvider: ANYBODY }
        : { middleware: await this.#middleware(webhook, judged, transport) };
    const { url } = await this.#proxies.open(backend, policy);
    const sender = hasStream ? await StreamSender.open(url) : await requestSender(url, era);
    const [before, askedBefore] = [received().length, webhook.received.length];
    judged.length = 0;
    return {
      title,
      era,
      isBridge,
      hasStream,
      judged,
      call: (name) => callOf(era, name),
      post: (sent, name) => sender.send((to, session) => post(to, sent, headersOf(era, name, session))),
      write: (raw, name) =>
        sender.send((to, session) =>
          writeRaw(to, raw(`POST ${to.pathname}${to.search}`, headLines(to, headersOf(era, name, session)))),
        ),
      received: () => received().slice(before),
      asked: () => webhook.received.slice(askedBefore).map(({ body }) => body),
    };
  }

  async close(): Promise<void> {
    await this.#proxies.close();
    for (const instance of this.#instances.splice(0)) await instance.close?.();
    await Promise.all(this.#backends.splice(0).map((backend) => backend.close()));
    await this.#webhook?.close();
    this.#webhook = undefined;
  }

  async #transparent(list: AnsweredListing | undefined, hasStream: boolean) {
    const started = await HttpBackendUnderTest.start(hasStream ? streaming(list) : answering(list));
    this.#backends.push(started);
    const backend: ServerBackend = {
      carries: 'http',
      transport: httpTransport(hasStream),
      target: started.url,
      isRemote: false,
    };
    return {
      backend,
      received: () =>
        started.received
          .filter(({ method }) => method === 'POST')
          .map(({ body }) => body)
          // What the proxy itself asks, to see whether the server is well.
          .filter((body) => !body.includes('"method":"server/discover"') && !isBarrier(body)),
    };
  }

  async #middleware(webhook: WebhookServer, judged: ClientMessage[], transport: string) {
    const context = contextOf(transport);
    const filter = {
      tools: [OPEN.visible, 'hooked_tool', 'denied_tool'],
      override: { [OPEN.real]: { name: OPEN.visible } },
    };
    const hook = {
      name: 'hook',
      url: webhook.url,
      timeout: '10s',
      failurePolicy: 'fail',
      tls: { insecureSkipVerify: true },
      compat: false,
    } as const;
    const placed = [
      { name: 'tool-filter', placed: 'names', instance: await toolFilter.create(filter, context) },
      {
        name: 'validating-webhooks',
        placed: 'validate',
        instance: await validatingWebhooks.create({ webhooks: [hook] }, context),
      },
      { name: 'all-but-one', placed: 'authorize', instance: allButOne(judged) },
    ] as const;
    this.#instances.push(...placed.map(({ instance }) => instance));
    return placed;
  }

  /** Whoever asks may use what is called as the open tool is, and nothing else. */
  async #cedar(transport: string) {
    const cedar = {
      policies: [`permit(principal, action, resource) when { resource.name == "${OPEN.real}" };`],
      entities_json: '',
      group_claim_name: '',
      role_claim_name: '',
      group_entity_type: 'THVGroup',
      multi_valued_claims: [],
      primary_upstream_provider: '',
    };
    const config = { version: '1.0', type: 'cedarv1', cedar } as const;
    const instance = await cedarAuthorization.create(config, contextOf(transport));
    this.#instances.push(instance);
    return [{ name: 'cedar', placed: 'authorize', instance }] as const;
  }
}

const ANYBODY: AuthProvider = {
  verify: (_ctx, next) => next(),
  identify: () => ({ subject: 'ann', claims: {} }),
};

function contextOf(transport: string): ProxyMiddlewareContext {
  const given = createTestProxyContext();
  return { ...given, workload: { ...given.workload, transport } };
}

/** Refuses every call but that of one tool, and keeps what it was shown. */
function allButOne(judged: ClientMessage[]): ProxyMiddleware {
  return {
    onMessage: (message) => {
      if (!isBarrier(message.text)) judged.push(message);
      if (message.kind === 'response' || message.method !== 'tools/call') return undefined;
      return message.params?.['name'] === OPEN.real ? undefined : { refuse: { message: 'Not this one.' } };
    },
  };
}

async function openDenyingWebhook(): Promise<WebhookServer> {
  const webhook = await openWebhookServer();
  webhook.answer = (question, response) => {
    const { params }: { params?: { name?: string } } = question.mcp_request;
    allow({ allowed: params?.name !== 'hooked_tool' })(question, response);
  };
  return webhook;
}

const RESULT = { content: [], isError: false, resultType: 'complete' };

function bridged(era: Era, list: AnsweredListing | undefined, hasStream: boolean) {
  const received: Buffer[] = [];
  const modern = modernScript();
  const servers = new ScriptedServers({
    received: (message, server) => {
      received.push(Buffer.from(message.text));
      const { id, method } = message;
      if (list !== undefined && method === list.method)
        list
          .answer()
          .line(JSON.stringify(id))
          .split('\n')
          .forEach((line) => server.write(line));
      else if (method === 'tools/call' && id !== undefined) server.say({ id, result: RESULT });
      else if (era === 'modern') modern.received?.(message, server);
      else if (method === 'initialize') server.greet(message);
      else if (id !== undefined) server.say({ id, result: {} });
    },
  });
  const backend = servers.backend(hasStream ? { mode: 'sse' } : {});
  // What the bridge itself asks a server without sessions: what it speaks, and its tools.
  const isOwn = (text: Buffer): boolean =>
    /"method":"(?:server\/discover|tools\/list)"/.test(text.toString()) && list === undefined;
  return {
    backend,
    received: () => received.filter((text) => !isBarrier(text) && (era === 'legacy' || !isOwn(text))),
  };
}

function answering(list: AnsweredListing | undefined): Handle {
  return ({ method, body }, response) => {
    if (method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let message: { id?: unknown; method?: string };
    try {
      message = JSON.parse(body.toString());
    } catch {
      response.writeHead(400).end();
      return;
    }
    if (message.id === undefined) {
      response.writeHead(202).end();
      return;
    }
    if (list !== undefined && message.method === list.method) {
      list.answer().http(JSON.stringify(message.id), response);
      return;
    }
    response.setHeader('Content-Type', 'application/json');
    const result =
      message.method === 'initialize' ? { protocolVersion: '2025-03-26', capabilities: {} } : RESULT;
    if (message.method === 'initialize') response.setHeader('Mcp-Session-Id', 'backend-session');
    // As it was written: a number that no double holds would be another.
    const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(body.toString())?.[1] ?? 'null';
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`);
  };
}

/** Accepts each request at the address of its session, and answers on its stream. */
function streaming(list: AnsweredListing | undefined): Handle {
  // Each has its own: the proxy opens one now and then, to see whether the server is well.
  const streams: ServerResponse[] = [];
  return ({ method, url, body }, response) => {
    if (method === 'GET') {
      const stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      stream.write(`event: endpoint\ndata: /messages?session_id=${streams.push(stream)}\n\n`);
      return;
    }
    const stream = streams[Number(url.split('session_id=')[1]) - 1];
    response.writeHead(202).end('Accepted');
    for (const { id, method: asked } of requestsIn(body)) {
      const result = asked === 'initialize' ? { protocolVersion: '2025-03-26', capabilities: {} } : RESULT;
      stream?.write(
        list !== undefined && asked === list.method
          ? list.answer().events(JSON.stringify(id))
          : `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`,
      );
    }
  };
}

function requestsIn(body: Buffer): readonly { readonly id: unknown; readonly method: string }[] {
  const messages: { id?: unknown; method?: string }[] = [JSON.parse(body.toString())].flat();
  return messages.flatMap(({ id, method }) =>
    id === undefined || method === undefined ? [] : [{ id, method }],
  );
}

function callOf(era: Era, name: string): string {
  const meta = era === 'modern' ? { _meta: { [CLAIM]: MODERN, [CAPABILITIES]: {} } } : {};
  const params = { name, arguments: { a: 1 }, ...meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
}

/** A request for the list, as a client writes it; each has an id of its own, since one that was cut may wait. */
export function listOf(era: Era, id: number, method: string): string {
  const params = era === 'modern' ? { _meta: { [CLAIM]: MODERN, [CAPABILITIES]: {} } } : {};
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

function headersOf(era: Era, name: string, session: string | undefined): HeaderChanges {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...(era === 'modern'
      ? { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': name }
      : { 'Mcp-Session-Id': session }),
  };
}

function headLines(url: URL, headers: HeaderChanges): string {
  const all = Object.entries({ Host: url.host, Connection: 'close', ...headers });
  return all.map(([name, value]) => (value === undefined ? '' : `${name}: ${value}\r\n`)).join('');
}

/** Writes bytes as they are, and reads until the other side ends the connection. */
function writeRaw({ hostname, port }: URL, raw: string): Promise<GuardedAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(raw));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text }));
  });
}

function post(url: URL, { body, headers, piece }: Sent, usual: HeaderChanges): Promise<GuardedAnswer> {
  const all = Object.entries({ ...usual, ...headers });
  const given = Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent: false, headers: given }, (answer) => {
      readText(answer).then((text) => resolve({ status: answer.statusCode ?? 0, text }), reject);
    });
    sent.once('error', reject);
    const bytes = Buffer.from(body);
    if (piece === undefined) sent.end(bytes);
    else {
      sent.setNoDelay(true);
      for (let at = 0; at < bytes.length; at += piece) sent.write(bytes.subarray(at, at + piece));
      sent.end();
    }
  });
}
