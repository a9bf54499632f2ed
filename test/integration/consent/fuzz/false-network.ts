import { once } from 'node:events';
import net, { type AddressInfo, isIP } from 'node:net';
import type { FetchOptions, OpenFetch } from '@portolan/plugin-api';

/** Addresses of the names in the fake network. */
const NAMES: Readonly<Record<string, string>> = {
  'inside.evil.example': '10.9.8.7',
  'loop.evil.example': '127.0.0.1',
  'cloud.evil.example': '169.254.169.254',
};

/** Returns the address of a host in the fake network, where every unknown name is public. */
export function lookUpFalselyAtOnce(hostname: string): string {
  if (isIP(hostname) !== 0) return hostname;
  if (!hostname.includes('.') || hostname === 'localhost') return '127.0.0.1';
  return NAMES[hostname] ?? '8.8.8.8';
}

/** Resolves a name as `lookUpFalselyAtOnce`. */
export function lookUpFalsely(hostname: string): Promise<readonly string[]> {
  return Promise.resolve([lookUpFalselyAtOnce(hostname)]);
}

/** Receives all outgoing data, and ends each connection. */
export class Sink {
  readonly #server = net.createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes) => {
      this.received(socket.remotePort ?? 0, bytes.toString('latin1'));
      socket.destroy();
    });
  });
  received: (clientPort: number, text: string) => void = () => undefined;

  async open(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // SAFETY: a TCP server has such an address.
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Returns an `openFetch` that reports each request, and fails like an unavailable network. */
export function falseFetch(
  sent: (url: URL, text: string) => void,
): (options: FetchOptions) => Promise<OpenFetch> {
  return async () => ({
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body = request.body === null ? '' : await request.text();
      sent(new URL(request.url), `${request.url} ${JSON.stringify([...request.headers])} ${body}`);
      throw new TypeError('fetch failed');
    },
    close: async () => undefined,
  });
}
