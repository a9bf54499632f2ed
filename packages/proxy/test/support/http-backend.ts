import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type Handle = (request: Received, response: ServerResponse) => void;

/** An HTTP server that records its requests. */
export class HttpBackendUnderTest {
  readonly received: Received[] = [];
  readonly server: Server;
  /** Number of open responses. */
  open = 0;
  handle: Handle;

  constructor(handle: Handle) {
    this.handle = handle;
    this.server = createServer((request, response) => {
      this.open += 1;
      response.once('close', () => {
        this.open -= 1;
      });
      void this.#take(request, response);
    });
  }

  static async start(handle: Handle): Promise<HttpBackendUnderTest> {
    const backend = new HttpBackendUnderTest(handle);
    backend.server.listen(0, '127.0.0.1');
    await once(backend.server, 'listening');
    return backend;
  }

  get url(): URL {
    const { port } = this.server.address() as AddressInfo;
    return new URL(`http://127.0.0.1:${port}`);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { method = '', url = '', headers, rawHeaders } = request;
    const received = { method, url, headers, rawHeaders, body };
    this.received.push(received);
    this.handle(received, response);
  }
}
