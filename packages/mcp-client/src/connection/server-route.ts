import { createHash } from 'node:crypto';
import { joinAddress, resolveReference } from '@portolan/plugin-api';
import type { ChannelRequest, ChannelRoute } from '../channel/channel.ts';
import { HttpFault } from '../channel/http-fault.ts';
import { headerOf, type HttpReply } from '../channel/http-reply.ts';
import { sentenceOf } from '../channel/sentence-of.ts';
import type { ConnectionLimits, HttpConnectionOptions, RequestHeaders } from './http-connection-options.ts';
import { baseHeaders, type HeaderSources, mergeHeaders } from './request-headers.ts';

const NO_HEADERS: RequestHeaders = { credentials: [], passed: [] };

/** Route to a server, with the headers of each request's sender. */
export class ServerRoute implements ChannelRoute {
  readonly name: string;
  readonly retryMs: number;
  readonly maxMessageBytes: number;
  /** The opener of a connection replaces a lost session, because it knows which requests may have run. */
  readonly isRecovering = false;
  readonly #options: HttpConnectionOptions;
  readonly #base: Readonly<Record<string, string>>;

  constructor(options: HttpConnectionOptions, { retryMs, messageBytes }: ConnectionLimits) {
    this.#options = options;
    this.#base = baseHeaders(options.headers ?? []);
    this.name = options.name;
    this.retryMs = retryMs;
    this.maxMessageBytes = messageBytes;
  }

  /** Throws when the address has another origin, which would receive the credentials. */
  addressOf(endpoint: string, { url }: HttpReply): URL {
    const announced = resolveReference(url, endpoint.trim());
    if (announced?.origin !== url.origin)
      throw new HttpFault(
        'invalid-response',
        `${this.name} announced a message endpoint on another origin; expected its own origin`,
      );
    return joinAddress(url, announced.pathname + announced.search);
  }

  async send(request: ChannelRequest): Promise<HttpReply> {
    const { refused } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      const { reply, credentials } = await this.#sendOnce(request);
      const { status } = reply;
      const challenge = headerOf(reply, 'www-authenticate');
      const isRefusal = status === 401 || (status === 403 && challenge !== undefined);
      if (!isRefusal || attempt > 0 || refused === undefined) return reply;
      const isRenewed = await refused(credentials, { status, challenge }, request.sender).catch(() => false);
      if (!isRenewed) return reply;
      reply.discard();
      request.signal.throwIfAborted();
    }
  }

  async #sendOnce(request: ChannelRequest) {
    const { method, headers: protocol, body, url = this.#options.url, signal } = request;
    const sources = { base: this.#base, protocol, method, hasBody: body !== undefined };
    const own =
      this.#options.headersFor === undefined
        ? NO_HEADERS
        : await this.#headersFor(request, this.#options.headersFor, sources);
    const reply = await this.#options.request({
      method,
      url,
      headers: mergeHeaders({ ...sources, ...own }),
      body,
      isRepeatable: method === 'GET' || request.isRepeatable === true,
      signal,
    });
    return { reply, credentials: own.credentials };
  }

  async #headersFor(
    { method, url = this.#options.url, body = '', sender, signal }: ChannelRequest,
    headersFor: NonNullable<HttpConnectionOptions['headersFor']>,
    sources: Omit<HeaderSources, keyof RequestHeaders>,
  ): Promise<RequestHeaders> {
    const outgoing = {
      method,
      get url() {
        return new URL(url);
      },
      get headers() {
        return mergeHeaders({ ...sources, ...NO_HEADERS });
      },
      bodyHash: async () => createHash('sha256').update(body).digest('hex'),
    };
    let own: RequestHeaders;
    try {
      own = await headersFor(outgoing, sender, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new HttpFault('credentials', sentenceOf(error), { cause: error });
    }
    signal.throwIfAborted();
    return own;
  }
}
