import type {
  AuthProvider,
  ClientMessage,
  ProxyMiddleware,
  ProxyMiddlewareContext,
  ServerBackend,
} from '@portolan/plugin-api';
import { createTestProxyContext } from '@portolan/plugin-testing';
import { cedarAuthorization } from '@portolan/proxy-authorization-cedar';
import { toolFilter } from '@portolan/proxy-tool-filter';
import { validatingWebhooks } from '@portolan/proxy-webhooks';
import { HttpBackendUnderTest } from '../../../../packages/proxy/test/support/http-backend.ts';
import { Proxies } from '../../../../packages/proxy/test/support/proxy-under-test.ts';
import {
  allow,
  openWebhookServer,
  type WebhookServer,
} from '../../../../plugins/proxy-webhooks/test/webhook-server.ts';
import {
  callOf,
  type Era,
  type GuardedResponse,
  headersOf,
  headLines,
  isBarrier,
  post,
  requestSender,
  type Sent,
  StreamSender,
  writeRaw,
} from './guarded-clients.ts';
import { type ListingResponder, answering, bridged, streaming } from './guarded-servers.ts';

/** Names of the one allowed tool at the client and at the server. */
export const OPEN = { visible: 'open', real: 'open_tool' } as const;
/**
 * Tools that the filter hides, that were renamed, that the webhook denies, and that the authorizer denies.
 */
export const FORBIDDEN = ['hidden_tool', OPEN.real, 'hooked_tool', 'denied_tool'] as const;

function httpTransport(hasStream: boolean): 'sse' | 'streamable-http' {
  return hasStream ? 'sse' : 'streamable-http';
}

/** A proxy with a tool filter, a webhook and an authorizer, in front of a server that records requests. */
export interface GuardedPath {
  readonly title: string;
  readonly era: Era;
  readonly isBridge: boolean;
  readonly hasStream: boolean;
  /** Returns a call as a client writes it. */
  readonly call: (name: string) => string;
  readonly post: (sent: Sent, name: string) => Promise<GuardedResponse>;
  /** Writes a raw request from its request line and default headers, with `Connection: close`. */
  readonly write: (raw: (start: string, head: string) => string, name: string) => Promise<GuardedResponse>;
  /** Bodies of messages that the server received after the handshake. */
  readonly received: () => readonly Buffer[];
  /** Requests that the authorizer saw, in order. */
  readonly judged: ClientMessage[];
  /** Requests to the webhook. */
  readonly asked: () => readonly string[];
}

export const PATHS: readonly (readonly [
  title: string,
  era: Era,
  isBridge: boolean,
  /** Whether clients post to a session and receive responses on its stream, as in 2024-11-05. */
  hasStream?: boolean,
])[] = [
  ['a server on standard input and output, with sessions', 'legacy', true],
  ['a server on standard input and output, without', 'modern', true],
  ['a server that speaks HTTP, with sessions', 'legacy', false],
  ['a server that speaks HTTP, without', 'modern', false],
  ['a server on standard input and output, by the stream of a session', 'legacy', true, true],
  ['a server that speaks HTTP with the stream of a session', 'legacy', false, true],
];

/** Opens guarded paths, and closes them after each test. */
export class GuardedPaths {
  readonly #proxies = new Proxies();
  readonly #backends: HttpBackendUnderTest[] = [];
  readonly #instances: ProxyMiddleware[] = [];
  #webhook: WebhookServer | undefined;

  async open(
    [title, era, isBridge, hasStream = false]: (typeof PATHS)[number],
    list?: ListingResponder,
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

  async #transparent(list: ListingResponder | undefined, hasStream: boolean) {
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
          // The health check of the proxy.
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

  /** Every caller may use the server's name of the open tool, and no other tool. */
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

/** Denies every call except that of one tool, and records what it saw. */
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
