import type { Agent } from 'node:http';
import type { Dispatcher } from 'undici';

export interface UpstreamRequest {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  /**
   * Headers, name and value alternating. `Host` and `Content-Length` are omitted, because address and body
   * determine them.
   */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
}

/** Flow control of a response. Ending a completed request does nothing. */
export interface ResponseControl {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Receiver of a response. Nothing is called after `ended` or `failed`. */
export interface ResponseHandler {
  /** Called while the request is sent; from now on it can be ended. */
  sent(control: ResponseControl): void;
  /**
   * Called with the headers of the response. An interim response (status below 200) causes a call of its own.
   */
  answered(status: number, reason: string, rawHeaders: readonly string[], control: ResponseControl): void;
  received(chunk: Buffer, control: ResponseControl): void;
  ended(rawTrailers: readonly string[]): void;
  failed(error: Error): void;
}

export interface Upstream {
  send(request: UpstreamRequest, taker: ResponseHandler): void;
  close(): Promise<void>;
}

export interface UpstreamOptions {
  readonly connectMs: number;
  readonly agent: Agent | undefined;
}

/** Maximum idle milliseconds of a reusable connection, unless its server specifies less. */
const KEPT_MS = 30_000;
/**
 * Milliseconds before the server's limit at which an idle connection is given up. A connection that the
 * server is just closing would lose the request.
 */
const EARLIER_MS = 1000;

/**
 * Opens a pass-through client: raw bytes, no redirects, no decompression. There are as many connections as
 * requests, because each stream occupies one and none may wait for another.
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

export function isConnectTimeout(error: Error): boolean {
  return 'code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT';
}

class Handler implements Dispatcher.DispatchHandler {
  readonly #taker: ResponseHandler;

  constructor(taker: ResponseHandler) {
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

/** Decodes header bytes as Latin-1, as Node does. */
function fieldsOf(raw: Dispatcher.DispatchController['rawHeaders']): readonly string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((field: Buffer | string) => (typeof field === 'string' ? field : field.toString('latin1')));
}
