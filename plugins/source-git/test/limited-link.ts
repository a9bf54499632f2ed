import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of a connection after so many bytes of the server. */
export interface Fault {
  /** Which connection, counted from 0; the ones after it are the same. */
  readonly connection: number;
  readonly bytes: number;
  readonly outcome: 'hangs' | 'is cut';
}

/** A TCP link on loopback to a server, whose answers a test can end where it likes. */
export class LimitedLink {
  readonly port: number;
  /** Bytes of the server that were passed on, of each connection. */
  readonly passed: number[] = [];
  fault: Fault | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    server.on('connection', (client) => this.#join(client, connect(target, '127.0.0.1')));
  }

  static async open(target: number): Promise<LimitedLink> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // It listens, and not on a pipe.
    return new LimitedLink(server, (server.address() as AddressInfo).port, target);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Counts connections from 0 again. */
  reset(fault?: Fault): void {
    this.passed.length = 0;
    this.fault = fault;
  }

  #join(client: Socket, upstream: Socket): void {
    const at = this.passed.push(0) - 1;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => this.#pass(chunk, at, client));
  }

  #pass(chunk: Buffer, at: number, client: Socket): void {
    const passed = this.passed[at] ?? 0;
    const { fault } = this;
    const most = fault === undefined || at < fault.connection ? Infinity : fault.bytes;
    const part = chunk.subarray(0, Math.max(0, most - passed));
    this.passed[at] = passed + part.length;
    if (part.length > 0) client.write(part);
    if (part.length < chunk.length && fault?.outcome === 'is cut') client.destroySoon();
  }
}
