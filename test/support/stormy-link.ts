import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '@portolan/plugin-testing';
import { listenOnLoopback } from './listen-on-loopback.ts';

/** What may happen to one message of the client, each with its probability; what is left passes. */
export interface Weather {
  /** The connection is reset, and the server never sees the message. */
  readonly lost: number;
  /** The server has the message and acts on it; the connection is reset before a byte of the answer arrives. */
  readonly unanswered: number;
  /** Half of what the server answers first arrives, then the connection is reset. */
  readonly torn: number;
  /** The answer comes late. */
  readonly late: number;
  /** The message comes late to the server. */
  readonly slow: number;
  /** Nothing passes in either direction any more, and nobody is told. */
  readonly mute: number;
}

export const CALM: Weather = { lost: 0, unanswered: 0, torn: 0, late: 0, slow: 0, mute: 0 };

type Fault = keyof Weather | 'none';

/** What is to happen: drawn from a seed by a test that is to be the same each time. */
export interface Fortune {
  /** From 0 to 1, without 1. */
  next(): number;
  /** How long what is late takes, in milliseconds. */
  delayMs(): number;
}

/**
 * A TCP link to a PostgreSQL server that breaks and stalls as its weather says, message by message: the client waits for
 * each answer before it sends again, so that what arrives at once is one message, or several that are answered together.
 * What ends a transaction meets a fault three times as often, since it matters most whether that has happened.
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

  /** How often each fault was met. */
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

  /** Whether connections that are begun from now on are reset at once. */
  set refuses(refuses: boolean) {
    this.#refuses = refuses;
  }

  /** Breaks all connections that there are. */
  breakAll(): void {
    for (const link of this.#links) link.reset();
  }

  /** Settles once a connection is mute. */
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

/** One connection of the client, and the one to the server that belongs to it. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  /** What becomes of the answers to come. */
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
    server.on('data', (answer) => this.#back(answer));
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
      // Half of the time the server has seen it.
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

  #back(answer: Buffer): void {
    if (this.#answers === 'drop all') return;
    if (this.#answers === 'drop and break') return this.reset();
    if (this.#answers === 'tear the next') {
      this.#client.write(answer.subarray(0, Math.ceil(answer.length / 2)), () => this.reset());
      return;
    }
    const waitMs = this.#passAfterMs;
    this.#passAfterMs = 0;
    if (waitMs === 0) return void this.#client.write(answer);
    this.#server.pause();
    setTimeout(() => {
      this.#client.write(answer);
      this.#server.resume();
    }, waitMs).unref();
  }
}
