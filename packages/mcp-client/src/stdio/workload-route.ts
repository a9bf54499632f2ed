import { setTimeout as pass } from 'node:timers/promises';
import type { ChannelRequest, ChannelRoute } from '../channel/channel.ts';
import { HttpFault } from '../channel/http-fault.ts';
import type { HttpReply } from '../channel/http-reply.ts';
import { retryDelayOf } from '../channel/retry-delay.ts';
import { messageAddressOf } from '../message-address.ts';
import { isNobodyThere, sendToProxy } from './client-http.ts';
import { MAX_MESSAGE_BYTES, type StdioClientTarget } from './stdio-client-options.ts';

export interface WorkloadRouteOptions {
  readonly name: string;
  /** Returns the workload's address. Waits while the workload starts; throws when it does not run. */
  readonly target: () => Promise<StdioClientTarget>;
  readonly forget: () => void;
  readonly retryMs: number;
  readonly patienceMs: number;
  /** Maximum time in milliseconds for retries of one request, as long as responses contain `Retry-After`. */
  readonly startTimeoutMs: number;
}

/**
 * Route to a workload of this machine. It retries for `patienceMs` while nothing listens at the address, and
 * for `startTimeoutMs` while responses ask for a retry.
 */
export class WorkloadRoute implements ChannelRoute {
  readonly name: string;
  readonly retryMs: number;
  readonly maxMessageBytes = MAX_MESSAGE_BYTES;
  readonly isRecovering = true;
  readonly #options: WorkloadRouteOptions;
  #prefix = '';

  constructor(options: WorkloadRouteOptions) {
    this.#options = options;
    this.name = options.name;
    this.retryMs = options.retryMs;
  }

  addressOf(endpoint: string, { url }: HttpReply): URL {
    return messageAddressOf(endpoint, { url, endpointPrefix: this.#prefix });
  }

  async send(request: ChannelRequest): Promise<HttpReply> {
    const { startTimeoutMs, forget } = this.#options;
    const begunMs = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      const reply = await this.#sendPatiently(request, begunMs);
      const delayMs = request.method === 'DELETE' ? undefined : retryDelayOf(reply);
      const isSoon = delayMs !== undefined && performance.now() + delayMs <= begunMs + startTimeoutMs;
      // Credentials may have been renewed, so read them again.
      const isRefused = reply.status === 401 && request.method === 'POST' && attempt === 0;
      if (!isSoon && !isRefused) return reply;
      reply.discard();
      forget();
      if (isSoon) await pass(delayMs, undefined, { signal: request.signal });
    }
  }

  async #sendPatiently({ url, headers, ...request }: ChannelRequest, begunMs: number): Promise<HttpReply> {
    const { patienceMs, retryMs, target: findTarget, forget } = this.#options;
    for (;;) {
      const target = await findTarget();
      this.#prefix = target.endpointPrefix;
      try {
        return await sendToProxy(url ?? target.url, {
          ...request,
          headers: { ...target.headers, ...headers },
        });
      } catch (error) {
        request.signal.throwIfAborted();
        if (!isNobodyThere(error)) throw this.#brokeOff(request.method, error);
        forget();
        // Another address may have another session, so only requests to the workload's own are repeated.
        if (url !== undefined || performance.now() > begunMs + patienceMs) throw this.#notThere(error);
        await pass(retryMs, undefined, { signal: request.signal });
      }
    }
  }

  #brokeOff(method: ChannelRequest['method'], cause: unknown): Error {
    if (method === 'GET') return this.#notThere(cause);
    const message = `${this.name} disconnected; the request may or may not have been executed`;
    return new HttpFault('interrupted', message, { cause });
  }

  #notThere(cause: unknown): Error {
    const message = `${this.name} does not respond at its address; \`portolan status ${this.name}\` shows its state`;
    return new HttpFault('unreachable', message, { cause });
  }
}
