import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  /** Path with percent escapes, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface StubResponse {
  readonly status: number;
  /** Body as JSON, or a string unchanged. Without it, there is no body. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Responder = (request: SeenRequest) => StubResponse | 'never' | 'cut';

interface Certificate {
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/** Stub: an HTTP server with the responses of a test, which records requests. */
export class StubRegistry {
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  #answer: Responder;

  private constructor(respond: Responder, certificate: Certificate | undefined) {
    this.#answer = respond;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      void this.#serve(request, response);
    };
    this.#scheme = certificate === undefined ? 'http' : 'https';
    this.#server =
      certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  }

  /** Starts a stub. With a certificate, it uses TLS. */
  static async start(respond: Responder, certificate?: Certificate): Promise<StubRegistry> {
    const stub = new StubRegistry(respond, certificate);
    await new Promise<void>((resolve) => stub.#server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  /** Sets the response from now on. */
  answers(respond: Responder): void {
    this.#answer = respond;
    this.seen.length = 0;
  }

  get url(): string {
    // SAFETY: the server listens on a port, so the address is an object.
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const seen = {
      method: request.method ?? '',
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    this.seen.push(seen);
    const reply = this.#answer(seen);
    if (reply === 'never') return;
    if (reply === 'cut') {
      request.socket.destroy();
      return;
    }
    const isText = typeof reply.body === 'string';
    response.writeHead(reply.status, {
      'Content-Type': isText ? 'text/html' : 'application/json',
      ...reply.headers,
    });
    response.end(isText || reply.body === undefined ? reply.body : JSON.stringify(reply.body));
  }
}

/** Returns an error response in the form of the server. */
export function refusal(status: number, code: string, error: string, more: object = {}): StubResponse {
  return { status, body: { error, code, requestId: 'r-1', ...more } };
}
