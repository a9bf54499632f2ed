import {
  hasClaim,
  elementsOf,
  findValue,
  type Message,
  type NotificationMessage,
  parseClientMessage,
  parseServerMessage,
  readId,
  onOneLine,
  writeError,
  INTERNAL_ERROR,
} from '@portolan/mcp-protocol';
import { once } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { errorClassOf, isPortolanError } from '@portolan/plugin-api';
import type { Channel, ChannelEvents } from '../channel/channel.ts';
import { EventsChannel } from '../channel/events-channel.ts';
import { type PendingRequest, PendingRequests } from '../channel/pending-requests.ts';
import { retryDelayIn } from '../channel/retry-delay.ts';
import { sentenceOf } from '../channel/sentence-of.ts';
import { StreamableChannel } from '../channel/streamable-channel.ts';
import { clientLines } from './client-lines.ts';
import { type StdioClientTarget, MAX_MESSAGE_BYTES, type StdioFrontOptions } from './stdio-client-options.ts';
import { WorkloadRoute } from './workload-route.ts';

const RETRY_MS = 500;
const PATIENCE_MS = 10_000;
const GRACE_MS = 1500;
/** Milliseconds that `portolan run` waits for a server to start. */
const START_TIMEOUT_MS = 60_000;
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;

/**
 * Connects a client on standard input and output to a workload, with unchanged messages. Every request gets a
 * response, if necessary an error. Settles when the input ends, the output closes or the signal aborts.
 * Rejects with ERR_MESSAGE_INVALID and ERR_REVISION_CHANGED.
 */
export async function serveStdioClient(options: StdioFrontOptions, version: string): Promise<void> {
  const front = new StdioClient(options, version);
  await front.serve();
}

class StdioClient {
  readonly #options: StdioFrontOptions;
  readonly #version: string;
  readonly #pending = new PendingRequests();
  readonly #ending = new AbortController();
  #target: Promise<StdioClientTarget> | undefined;
  #channel: Channel | undefined;
  #fault: Error | undefined;
  #draining: Promise<unknown> | undefined;

  constructor(options: StdioFrontOptions, version: string) {
    this.#options = options;
    this.#version = version;
  }

  async serve(): Promise<void> {
    const { input, output, signal } = this.#options;
    const ending = AbortSignal.any([signal, this.#ending.signal]);
    const end = (): void => void input.destroy();
    const lose = (): void => this.#ending.abort();
    ending.addEventListener('abort', end, { once: true });
    // A client that no longer reads has exited.
    output.on('error', lose);
    try {
      if (!ending.aborted)
        for await (const line of clientLines(input, MAX_MESSAGE_BYTES)) await this.#takeLine(line);
      await this.#lastAnswers(ending);
    } catch (error) {
      if (!ending.aborted) throw error;
    } finally {
      ending.removeEventListener('abort', end);
      this.#pending.abort();
      await this.#channel?.close();
      output.off('error', lose);
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  /**
   * Waits for pending responses after the end of the input. A client that uses a pipe may close the input
   * before it reads them.
   */
  async #lastAnswers(ending: AbortSignal): Promise<void> {
    const late = new AbortController();
    const { graceMs = GRACE_MS } = this.#options;
    const signal = AbortSignal.any([ending, late.signal]);
    const grace = pass(graceMs, undefined, { signal }).catch(() => undefined);
    await Promise.race([this.#pending.answered(), grace]);
    late.abort();
  }

  async #takeLine(line: string): Promise<void> {
    try {
      // The messages of a batch get separate responses.
      const texts = line.trimStart().startsWith('[')
        ? [...elementsOf(jsonOf(line), 0)].map((span) => line.slice(span.start, span.end))
        : [line];
      for (const text of texts) await this.#take(parseClientMessage(text));
    } catch (error) {
      const isJson = !isPortolanError(error) || error.code !== 'ERR_MESSAGE_NOT_JSON';
      const message = error instanceof Error ? error.message : String(error);
      const code = error instanceof SyntaxError || !isJson ? PARSE_ERROR : INVALID_REQUEST;
      await this.#write(writeError(idIn(line), { code, message }));
    }
  }

  async #take(message: Message): Promise<void> {
    if (message.kind === 'request') {
      const pending = this.#pending.begin(message);
      if (pending === undefined) {
        const error = { code: INVALID_REQUEST, message: 'a request with this id is already pending' };
        return await this.#write(writeError(message.id, error));
      }
      // Do not wait for the response, because other messages may come first, such as the cancellation of this
      // request.
      void this.#ask(pending);
      return;
    }
    if (message.kind === 'notification' && this.#cancels(message)) return;
    try {
      await (await this.#channelOf()).post(message);
    } catch {
      // A notification has no response. The next request reports an unreachable server.
    }
  }

  async #ask(pending: PendingRequest): Promise<void> {
    try {
      const channel = await this.#channelOf();
      await channel.ask(pending);
    } catch (error) {
      await this.#fail(pending, INTERNAL_ERROR, sentenceOf(error));
    }
  }

  /**
   * Handles a cancellation. Returns whether there is nothing to forward: over HTTP, closing the response
   * stream cancels a request without a handshake.
   */
  #cancels(message: NotificationMessage): boolean {
    const pending = this.#pending.findCancelled(message);
    if (pending === undefined) return false;
    pending.isCancelled = true;
    if (!hasClaim(pending.message)) {
      if (this.#channel?.cancelled(pending) === true) this.#pending.end(pending);
      return false;
    }
    pending.controller.abort();
    this.#pending.end(pending);
    return true;
  }

  async #channelOf(): Promise<Channel> {
    if (this.#channel !== undefined) return this.#channel;
    const target = await this.#findTarget();
    const { name, tell, retryMs = RETRY_MS, patienceMs = PATIENCE_MS } = this.#options;
    const { startTimeoutMs = START_TIMEOUT_MS } = this.#options;
    const route = new WorkloadRoute({
      name,
      target: async () => await this.#findTarget(),
      forget: () => {
        this.#target = undefined;
      },
      retryMs,
      patienceMs,
      startTimeoutMs,
    });
    const events: ChannelEvents = {
      received: async (text, only) => await this.#received(text, only),
      failed: async (pending, { message }) => await this.#fail(pending, INTERNAL_ERROR, message),
      tell,
      broken: (error) => {
        this.#fault ??= error instanceof Error ? error : new Error(String(error));
        this.#ending.abort();
      },
    };
    this.#channel ??=
      target.transport === 'sse'
        ? new EventsChannel(route, events)
        : new StreamableChannel(route, events, this.#version);
    return this.#channel;
  }

  async #findTarget(): Promise<StdioClientTarget> {
    this.#target ??= this.#lookFor().catch((error: unknown) => {
      this.#target = undefined;
      throw error;
    });
    return await this.#target;
  }

  async #lookFor(): Promise<StdioClientTarget> {
    const { findTarget, signal, retryMs = RETRY_MS, patienceMs = PATIENCE_MS } = this.#options;
    const until = performance.now() + patienceMs;
    for (;;) {
      try {
        return await findTarget();
      } catch (error) {
        const isSoon = isPortolanError(error) && errorClassOf(error) === 'busy';
        if (!isSoon || performance.now() > until || signal.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  async #received(text: string, only: PendingRequest | undefined): Promise<void> {
    const message = parseServerMessage(text);
    if (typeof message === 'string') {
      this.#options.tell(`an invalid message was ignored: ${message}`);
      return;
    }
    if (message.kind === 'response') {
      const pending = this.#pending.find(message.id.key);
      // The request already has a response, or the id is unknown.
      if (pending === undefined || (only !== undefined && pending !== only)) return;
      if (this.#defer(pending, text)) return;
      this.#pending.end(pending);
      if (!message.isError) this.#channel?.succeeded(pending, message.result);
    }
    await this.#write(text);
  }

  /** Schedules a retry when the response asks for one; returns whether it does. */
  #defer(pending: PendingRequest, text: string): boolean {
    const { startTimeoutMs = START_TIMEOUT_MS } = this.#options;
    const delayMs = retryDelayIn(text);
    if (delayMs === undefined || pending.isCancelled) return false;
    if (performance.now() + delayMs > pending.begunMs + startTimeoutMs) return false;
    pending.isDeferred = true;
    void this.#askAgain(pending, delayMs);
    return true;
  }

  async #askAgain(pending: PendingRequest, delayMs: number): Promise<void> {
    const signal = AbortSignal.any([this.#ending.signal, this.#options.signal, pending.controller.signal]);
    try {
      await pass(delayMs, undefined, { signal });
    } catch {
      return; // The client cancelled the request, or this process is ending.
    }
    pending.isDeferred = false;
    if (!pending.isCancelled) await this.#ask(pending);
  }

  async #fail(pending: PendingRequest, code: number, message: string): Promise<void> {
    if (pending.isAnswered) return;
    this.#pending.end(pending);
    if (!pending.isCancelled) await this.#write(writeError(pending.message.id, { code, message }));
  }

  async #write(text: string): Promise<void> {
    const { output } = this.#options;
    if (output.writableEnded || output.destroyed) return;
    if (output.write(`${onOneLine(text)}\n`)) return;
    this.#draining ??= once(output, 'drain', { signal: this.#ending.signal })
      .catch(() => undefined) // the output closed, so the input ends too
      .finally(() => {
        this.#draining = undefined;
      });
    await this.#draining;
  }
}

function jsonOf(text: string): string {
  JSON.parse(text);
  return text;
}

function idIn(line: string) {
  try {
    const span = findValue(jsonOf(line), ['id']);
    return span === undefined ? undefined : readId(line.slice(span.start, span.end));
  } catch {
    return undefined;
  }
}
