import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';

/** What may happen to one request: each has a connection of its own. */
export const MISCHIEFS = ['refused', 'late', 'unanswered', 'cut', 'slow', 'failed'] as const;
export type Mischief = (typeof MISCHIEFS)[number];

const FAULT = '{"message":"the engine is not well"}';
const FAILED = `HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nContent-Length: ${FAULT.length}\r\nConnection: close\r\n\r\n${FAULT}`;

/**
 * A way to an engine on which requests and answers are lost, cut and late while it is wild. What was asked may have
 * been done though nobody hears of it.
 */
export class RecklessEngine {
  readonly path: string;
  /** To how many requests something has happened. */
  harmed = 0;
  readonly #engine: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  #draw: ((request: string) => Mischief | undefined) | undefined;

  constructor(path: string, engine: string) {
    this.path = path;
    this.#engine = engine;
    this.#server = net.createServer({ allowHalfOpen: true }, (client) => {
      this.#serve(client).catch(() => client.destroy()); // it has left before it has asked
    });
  }

  async open(): Promise<void> {
    this.#server.listen(this.path);
    await once(this.#server, 'listening');
  }

  /** From now on each request has what `draw` makes of its first line; undefined: nothing. */
  goWild(draw: (request: string) => Mischief | undefined): void {
    this.#draw = draw;
  }

  calm(): void {
    this.#draw = undefined;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client);
    const [head] = (await once(client, 'data')) as [Buffer];
    client.pause();
    client.unshift(head);
    const mischief = this.#draw?.(head.toString('latin1').split('\r\n', 1)[0] ?? '');
    if (mischief !== undefined) this.harmed += 1;
    if (mischief === 'refused') return void client.destroy();
    if (mischief === 'failed') return void client.resume().end(FAILED);
    if (mischief === 'late') await pass(1500);
    if (client.destroyed) return;
    const engine = net.connect({ path: this.#engine, allowHalfOpen: true });
    this.#keep(engine);
    client.once('close', () => engine.destroy());
    engine.once('close', () => client.destroy());
    client.pipe(engine);
    if (mischief === 'unanswered') return void engine.once('data', () => client.destroy());
    if (mischief === 'cut')
      return void engine.once('data', (data: Buffer) => this.#cut(data, client, engine));
    if (mischief === 'slow') await pass(1500);
    engine.pipe(client);
  }

  #cut(data: Buffer, client: Socket, engine: Socket): void {
    client.write(data.subarray(0, Math.ceil(data.length / 2)), () => client.destroy());
    engine.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => this.#sockets.delete(socket));
  }
}
