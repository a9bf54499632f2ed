import type { Agent } from 'node:http';
import type { Dispatcher } from 'undici';

/** One request to a server behind a proxy. */
export interface UpstreamRequest {
  /** Scheme, host and port: the server alone. */
  readonly origin: string;
  readonly method: string;
  /** Path and query as they are sent. */
  readonly path: string;
  /** Names and values in turn, without `Host` and `Content-Length`, which follow from the rest. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
}

/** What holds an answer back, or ends it. Ending a request whose answer is over does nothing. */
export interface AnswerControl {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Who takes an answer. After `ended` or `failed` nothing else is called. */
export interface AnswerTaker {
  /** The request goes over the wire; from now on it can be ended. */
  sent(control: AnswerControl): void;
  /** A head: of the answer, or of one of the notices before it, with a status below 200. */
  answered(status: number, reason: string, rawHeaders: readonly string[], control: AnswerControl): void;
  received(chunk: Buffer, control: AnswerControl): void;
  ended(rawTrailers: readonly string[]): void;
  /** There is no answer, or no end of it. */
  failed(error: Error): void;
}

export interface Upstream {
  send(request: UpstreamRequest, taker: AnswerTaker): void;
  /** Ends every connection and what is under way on it. */
  close(): Promise<void>;
}

export interface UpstreamOptions {
  /** Time for a connection to come about, in milliseconds; over TLS with its handshake. */
  readonly connectMs: number;
  /** Makes the connections; left out: as Node does. */
  readonly agent: Agent | undefined;
}

/** How long a connection that nobody uses is kept, unless its server says something shorter. */
const KEPT_MS = 30_000;
/** So much earlier than the server says: what is sent to one that it is just closing is lost. */
const EARLIER_MS = 1000;

/**
 * Opens a way for requests to pass through to servers: bytes as they are, no redirect followed, nothing
 * decompressed, no time limit but that of connections. There are as many of these as requests at once: each
 * stream takes one, and none of them may wait for another.
 */
export async function openUpstream({ connectMs, agent }: UpstreamOptions): Promise<Upstream> {
  const { Agent: Dispatchers, buildConnector } = await import('./http-client.ts');
  const dispatcher = new Dispatchers({
    connect:
      agent === undefined
        ? buildConnector({ allowH2: false, timeout: connectMs })
        : (await import('./agent-connector.ts')).agentConnector(agent, connectMs),
    allowH2: false,
    pipelining: 1,
    bodyTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: KEPT_MS,
    keepAliveMaxTimeout: KEPT_MS,
    keepAliveTimeoutThreshold: EARLIER_MS,
  });
  return {
    send: ({ origin, method, path, headers, body }, taker) => {
      const options = { origin, method, path, headers: headers as string[], body: body ?? null };
      try {
        dispatcher.dispatch(options, new Handler(taker));
      } catch (error) {
        taker.failed(error instanceof Error ? error : new Error(String(error)));
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** Whether a request failed because no connection came about in time. */
export function isConnectTimeout(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
}

class Handler implements Dispatcher.DispatchHandler {
  readonly #taker: AnswerTaker;

  constructor(taker: AnswerTaker) {
    this.#taker = taker;
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    this.#taker.sent(control);
  }

  onResponseStart(
    control: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason = '',
  ): void {
    this.#taker.answered(status, reason, fieldsOf(control.rawHeaders), control);
  }

  onResponseData(control: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#taker.received(chunk, control);
  }

  onResponseEnd(control: Dispatcher.DispatchController): void {
    this.#taker.ended(fieldsOf(control.rawTrailers));
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    this.#taker.failed(error);
  }
}

/** Byte by byte, as Node reads and writes headers. */
function fieldsOf(raw: Dispatcher.DispatchController['rawHeaders']): readonly string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((field: Buffer | string) => (typeof field === 'string' ? field : field.toString('latin1')));
}
