import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@portolan/plugin-testing';
import { listenOnLoopback } from './listen-on-loopback.ts';

/** Probabilities of the faults of one message from the client. Other messages pass. */
export interface Weather {
  /** The connection is reset before the server receives the message. */
  readonly lost: number;
  /** The server processes the message. The connection is reset before the first byte of the response. */
  readonly unanswered: number;
  /** Half of the first response arrives, then the connection is reset. */
  readonly torn: number;
  /** The response is delayed. */
  readonly late: number;
  /** The message is delayed on its way to the server. */
  readonly slow: number;
  /** No data passes in either direction, and no side notices it. */
  readonly mute: number;
}

export const CALM: Weather = { lost: 0, unanswered: 0, torn: 0, late: 0, slow: 0, mute: 0 };

type Fault = keyof Weather | 'none';

/** Source of faults, which a test draws from a seed to repeat them. */
export interface Fortune {
  /** Returns a number from 0 to 1, without 1. */
  next(): number;
  /** Delay of late messages in milliseconds. */
  delayMs(): number;
}

/**
 * TCP link to a PostgreSQL server that injects faults per message. The client waits for each response before
 * it sends again, so one chunk is one message or several with one response. Messages that end a transaction
 * have three times as many faults, because it matters most whether they took effect.
 */
export class StormyLink {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #fortune: Fortune;
  readonly #links = new Set<Link>();
  readonly #met = new Map<Fault, number>();
  #weather = CALM;
  #refuses = false;
  #server: Server | undefined;
  #port = 0;

  constructor(target: { readonly host: string; readonly port: number }, fortune: Fortune) {
    this.#target = target;
    this.#fortune = fortune;
  }

  get port(): number {
    return this.#port;
  }

  /** Number of each injected fault. */
  get met(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#met);
  }

  async open(): Promise<void> {
    const server = createServer((client) => this.#join(client));
    this.#port = await listenOnLoopback(server);
    this.#server = server;
  }

  set weather(weather: Weather) {
    this.#weather = weather;
  }

  /** Whether new connections are reset immediately. */
  set refuses(refuses: boolean) {
    this.#refuses = refuses;
  }

  /** Resets all open connections. */
  breakAll(): void {
    for (const link of this.#links) link.reset();
  }

  /** Settles when a connection is mute. */
  async muted(): Promise<void> {
    await eventually(() => {
      if (![...this.#links].some((link) => link.isMute)) throw new Error('no connection is mute');
    });
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.breakAll();
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  #join(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#refuses) return void client.resetAndDestroy();
    const link = new Link(client, connect(this.#target), (message) => this.#draw(message));
    this.#links.add(link);
    client.on('close', () => this.#links.delete(link));
  }

  #draw(message: Buffer): { readonly fault: Fault; readonly delayMs: number } {
    const ends = /\0?commit\0/.test(message.toString('latin1'));
    let left = this.#fortune.next() / (ends ? 3 : 1);
    for (const [fault, chance] of Object.entries(this.#weather) as [keyof Weather, number][]) {
      if (left < chance) {
        this.#met.set(fault, (this.#met.get(fault) ?? 0) + 1);
        return { fault, delayMs: this.#fortune.delayMs() };
      }
      left -= chance;
    }
    return { fault: 'none', delayMs: 0 };
  }
}

/** A connection of the client with its connection to the server. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  /** Faults of the following responses. */
  #answers: 'pass' | 'drop all' | 'tear the next' | 'drop and break' = 'pass';
  #passAfterMs = 0;

  constructor(
    client: Socket,
    server: Socket,
    draw: (message: Buffer) => { readonly fault: Fault; readonly delayMs: number },
  ) {
    this.#client = client;
    this.#server = server;
    server.on('error', () => this.reset());
    server.on('close', () => {
      if (!this.isMute) client.end();
    });
    client.on('close', () => server.destroy());
    client.on('data', (message) => this.#forward(message, draw(message)));
    server.on('data', (response) => this.#back(response));
  }

  get isMute(): boolean {
    return this.#answers === 'drop all';
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#server.destroy();
  }

  #forward(message: Buffer, { fault, delayMs }: { readonly fault: Fault; readonly delayMs: number }): void {
    if (this.isMute) return;
    if (fault === 'lost') return this.reset();
    if (fault === 'mute') {
      this.#answers = 'drop all';
      // In half of the cases the server has received the message.
      if (delayMs % 2 < 1) this.#server.write(message);
      return;
    }
    if (fault === 'unanswered') this.#answers = 'drop and break';
    if (fault === 'torn') this.#answers = 'tear the next';
    if (fault === 'late') this.#passAfterMs = delayMs;
    if (fault !== 'slow') return void this.#server.write(message);
    this.#client.pause();
    setTimeout(() => {
      this.#server.write(message);
      this.#client.resume();
    }, delayMs).unref();
  }

  #back(response: Buffer): void {
    if (this.#answers === 'drop all') return;
    if (this.#answers === 'drop and break') return this.reset();
    if (this.#answers === 'tear the next') {
      this.#client.write(response.subarray(0, Math.ceil(response.length / 2)), () => this.reset());
      return;
    }
    const waitMs = this.#passAfterMs;
    this.#passAfterMs = 0;
    if (waitMs === 0) return void this.#client.write(response);
    this.#server.pause();
    setTimeout(() => {
      this.#client.write(response);
      this.#server.resume();
    }, waitMs).unref();
  }
}
