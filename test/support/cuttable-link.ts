import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from './listen-on-loopback.ts';

/** A TCP link to a server that a test can cut and restore, to imitate a database that is down. */
export class CuttableLink {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  /** Port on 127.0.0.1. It does not change when the link is restored. */
  get port(): number {
    return this.#port;
  }

  async mend(): Promise<void> {
    const server = createServer((client) => this.#join(client));
    this.#port = await listenOnLoopback(server, this.#port);
    this.#server = server;
  }

  /** Breaks every connection and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  #join(client: Socket): void {
    const upstream = connect(this.#target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
