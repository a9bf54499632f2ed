// Relay of a workload's closed network, in the gateway container with a bare Node, so this one file imports
// nothing but Node's own modules. It decides nothing: it asks the supervisor over a socket that the workload
// does not see.
//
// node relay.mjs FOLDER
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type ListenOptions, type Server, Socket } from 'node:net';

const PROXY_PORT = 3128;
const DNS_PORT = 53;
const MAX_NAMES = 1024;
const MAX_LISTENERS = 4096;
const MAX_CONNECTIONS = 512;
const MAX_QUESTIONS = 256;
const ANSWER_MS = 4000;
const TUNNEL_MS = 60_000;
const LINGER_MS = 60_000;
const MAX_HEAD_LENGTH = 8192;
const TTL_SECONDS = 60;

const OLDEST_NODE = 22;

/** Returns why the relay cannot run with this version of Node, which may come from a user's image. */
export function faultOfNode(version: string): Error | undefined {
  if (Number(/^v(\d+)\./.exec(version)?.[1]) >= OLDEST_NODE) return undefined;
  return new Error(
    `its image has Node.js ${version}, and Node.js ${OLDEST_NODE} or newer is needed; name another image with --gateway-image or gateway.image`,
  );
}

// ---- DNS messages (RFC 1035, RFC 6891)

export const RCODE = { none: 0, format: 1, failure: 2, noName: 3, notImplemented: 4, refused: 5 } as const;
export const TYPE_A = 1;

export interface Question {
  readonly id: number;
  readonly flags: number;
  /** Question section as received. The response contains the same bytes. */
  readonly section: Buffer;
  /** Lower-case name with dots between labels. Invalid bytes become `?`. */
  readonly name: string;
  readonly type: number;
  readonly isInternet: boolean;
  readonly hasOptions: boolean;
}

export type ReadMessage =
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'error'; readonly id: number; readonly flags: number; readonly rcode: number };

/** Returns undefined for messages to drop: those without a header, and responses. */
export function readMessage(bytes: Buffer): ReadMessage | undefined {
  if (bytes.length < 12) return undefined;
  const id = bytes.readUInt16BE(0);
  const flags = bytes.readUInt16BE(2);
  if ((flags & 0x8000) !== 0) return undefined;
  const fail = (rcode: number): ReadMessage => ({ kind: 'error', id, flags, rcode });
  if ((flags & 0x7800) !== 0) return fail(RCODE.notImplemented);
  if (bytes.readUInt16BE(4) !== 1) return fail(RCODE.format);
  const labels: string[] = [];
  let at = 12;
  for (;;) {
    const length = bytes[at];
    if (length === undefined || length > 63 || at - 12 + length > 254) return fail(RCODE.format);
    at += 1;
    if (length === 0) break;
    if (at + length > bytes.length) return fail(RCODE.format);
    labels.push(
      bytes
        .toString('latin1', at, at + length)
        .toLowerCase()
        .replace(/[^a-z0-9_-]/g, '?'),
    );
    at += length;
  }
  if (at + 4 > bytes.length) return fail(RCODE.format);
  const section = Buffer.from(bytes.subarray(12, at + 4));
  const hasOptions =
    bytes.readUInt16BE(6) === 0 &&
    bytes.readUInt16BE(8) === 0 &&
    bytes.readUInt16BE(10) > 0 &&
    bytes.length >= at + 4 + 11 &&
    bytes[at + 4] === 0 &&
    bytes.readUInt16BE(at + 5) === 41;
  const type = bytes.readUInt16BE(at);
  const isInternet = bytes.readUInt16BE(at + 2) === 1;
  return {
    kind: 'question',
    question: { id, flags, section, name: labels.join('.'), type, isInternet, hasOptions },
  };
}

/** Serializes a response with this code, and with the address if there is one. */
export function writeAnswer(question: Question, rcode: number, address?: string): Buffer {
  const parts = [
    head(question, rcode, 1, address === undefined ? 0 : 1, question.hasOptions ? 1 : 0),
    question.section,
  ];
  if (address !== undefined) {
    const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, TTL_SECONDS, 0, 4]);
    parts.push(record, Buffer.from(address.split('.').map(Number)));
  }
  // EDNS record: UDP size 1232 bytes, version 0
  if (question.hasOptions) parts.push(Buffer.from([0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0]));
  return Buffer.concat(parts);
}

/** Returns a header: authoritative, recursion available, and the query's recursion flag. */
function head(
  { id, flags }: { readonly id: number; readonly flags: number },
  rcode: number,
  questions: number,
  answers: number,
  additional: number,
): Buffer {
  const bytes = Buffer.alloc(12);
  [id, 0x8480 | (flags & 0x0100) | rcode, questions, answers, 0, additional].forEach((value, at) => {
    bytes.writeUInt16BE(value, 2 * at);
  });
  return bytes;
}

/** Returns the address with this number, from 0: 127.80.0.1 … 127.80.0.254, 127.80.1.1 … */
export function syntheticAddress(number: number): string {
  return `127.80.${Math.floor(number / 254)}.${(number % 254) + 1}`;
}

// ---- Connections

const connections = new Set<Socket>();

/** Registers a new connection and handles its errors. Returns false above the connection limit. */
function admit(socket: Socket): boolean {
  socket.on('error', () => cut(socket));
  if (connections.size >= MAX_CONNECTIONS) {
    cut(socket);
    return false;
  }
  connections.add(socket);
  socket.once('close', () => connections.delete(socket));
  return true;
}

/** Closes at once, over TCP with a reset, so that the peer does not take it for a normal end. */
function cut(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.remoteAddress !== undefined && !socket.connecting) socket.resetAndDestroy();
  else socket.destroy();
}

/** Forwards bytes both ways. Supports half-closed connections; an error on one side closes the other. */
function join(left: Socket, right: Socket): void {
  for (const [from, to] of [
    [left, right],
    [right, left],
  ] as const) {
    from.pipe(to);
    from.once('end', () => {
      for (const side of [from, to]) side.setTimeout(LINGER_MS, () => cut(side));
    });
    from.once('close', () => {
      if (!from.readableEnded) cut(to);
    });
  }
}

function listen(server: Server, where: ListenOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(where, () => {
    server.off('error', reject).on('error', () => undefined); // a failed accept: the next one may succeed
    resolve();
  });
  return promise;
}

function accept(onConnection: (socket: Socket) => void): Server {
  return createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
    if (admit(socket)) onConnection(socket);
  });
}

// ---- Connection to the supervisor

interface Opening {
  readonly egress: boolean;
  readonly ingress: readonly number[];
}

/** JSON lines to and from the supervisor. Reconnects after a lost connection. */
class Supervisor {
  readonly #path: string;
  readonly #onOpening: (opening: Opening) => void;
  readonly #onPorts: (name: string, ports: readonly number[]) => void;
  readonly #pending = new Map<number, (ports: readonly number[] | undefined) => void>();
  #socket: Socket | undefined;
  #number = 0;
  #waitMs = 50;

  constructor(
    path: string,
    onOpening: (opening: Opening) => void,
    onPorts: (name: string, ports: readonly number[]) => void,
  ) {
    this.#path = path;
    this.#onOpening = onOpening;
    this.#onPorts = onPorts;
    this.#connect();
  }

  say(message: object): void {
    this.#socket?.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Returns the ports on which a name may be opened; empty when it is refused, undefined without a response.
   */
  ask(name: string, type: string): Promise<readonly number[] | undefined> {
    if (this.#socket === undefined || this.#pending.size >= MAX_QUESTIONS) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<readonly number[] | undefined>();
    const number = ++this.#number;
    const timer = setTimeout(() => this.#pending.get(number)?.(undefined), ANSWER_MS);
    this.#pending.set(number, (ports) => {
      clearTimeout(timer);
      this.#pending.delete(number);
      resolve(ports);
    });
    this.say({ ask: number, name, type });
    return promise;
  }

  #connect(): void {
    const socket = connect({ path: this.#path });
    let rest = '';
    socket.once('connect', () => {
      this.#socket = socket;
      this.#waitMs = 50;
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#hear(line);
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.#socket = undefined;
      for (const answer of this.#pending.values()) answer(undefined);
      setTimeout(() => this.#connect(), this.#waitMs);
      this.#waitMs = Math.min(2 * this.#waitMs, 1000);
    });
  }

  #hear(line: string): void {
    // The supervisor is trusted, because it makes all decisions.
    const command = JSON.parse(line) as {
      readonly open?: Opening;
      readonly ask?: number;
      readonly name?: string;
      readonly ports?: readonly number[];
    };
    if (command.open !== undefined) this.#onOpening(command.open);
    else if (command.name !== undefined) this.#onPorts(command.name, command.ports ?? []);
    else if (command.ask !== undefined) this.#pending.get(command.ask)?.(command.ports ?? []);
  }
}

// ---- The relay

class Relay {
  readonly #folder: string;
  readonly #supervisor: Supervisor;
  readonly #addresses = new Map<string, Promise<string | undefined>>();
  readonly #ingress = new Set<number>();
  readonly #servers = new Map<string, Map<number, Server>>();
  #opening: Promise<void> = Promise.resolve();
  #hasEgress = false;
  #listeners = 0;
  #names = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    const onPorts = (name: string, ports: readonly number[]): void => {
      this.#opening = this.#opening.then(() => this.#changePorts(name, ports));
    };
    const onOpening = (opening: Opening): void => {
      this.#opening = this.#opening
        .then(() => this.#open(opening))
        .then(
          () => this.#supervisor.say({ ready: true }),
          (error: unknown) =>
            this.#supervisor.say({ failed: error instanceof Error ? error.message : String(error) }),
        );
    };
    this.#supervisor = new Supervisor(`${folder}/control.sock`, onOpening, onPorts);
  }

  static run(folder: string): Relay {
    return new Relay(folder);
  }

  /**
   * Opens the listeners that the supervisor requests, unless they are open already. A reconnecting supervisor
   * repeats the request.
   */
  async #open({ egress, ingress }: Opening): Promise<void> {
    const fault = faultOfNode(process.version);
    if (fault !== undefined) throw fault;
    for (const port of ingress) {
      if (this.#ingress.has(port)) continue;
      await this.#openIngress(port);
      this.#ingress.add(port);
    }
    if (!egress || this.#hasEgress) return;
    await listen(
      accept((client) => this.#toProxy(client)),
      { host: '127.0.0.1', port: PROXY_PORT },
    );
    await this.#openNames();
    this.#hasEgress = true;
  }

  async #openIngress(port: number): Promise<void> {
    const path = `${this.#folder}/ingress-${port}.sock`;
    rmSync(path, { force: true }); // left by a dead gateway
    await listen(
      accept((client) => reachTarget(client, port, ['127.0.0.1', '::1'])),
      { path },
    );
  }

  /** Forwards raw bytes; the supervisor decides about their requests. */
  #toProxy(client: Socket): void {
    const proxy = connect({ path: `${this.#folder}/egress.sock`, allowHalfOpen: true });
    if (admit(proxy)) join(client, proxy);
    else cut(client);
  }

  async #openNames(): Promise<void> {
    const udp = createSocket('udp4');
    const bound = Promise.withResolvers<void>();
    udp.once('error', bound.reject);
    udp.bind({ address: '127.0.0.1', port: DNS_PORT, exclusive: true }, () => {
      // ignored: DNS clients repeat a query whose response is lost
      udp.off('error', bound.reject).on('error', () => undefined);
      bound.resolve();
    });
    await bound.promise;
    udp.on('message', (bytes, from) => {
      void this.#answer(bytes).then((answer) => reply(udp, answer, from.port, from.address));
    });
    await listen(
      accept((socket) => this.#serveNames(socket)),
      { host: '127.0.0.1', port: DNS_PORT },
    );
  }

  /** Serves DNS over TCP (RFC 7766): two-byte length prefixes, one query at a time. */
  #serveNames(socket: Socket): void {
    socket.setTimeout(10_000, () => cut(socket));
    let bytes: Buffer = Buffer.alloc(0);
    socket
      .on('end', () => socket.end())
      .on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16BE(0)) return;
        const message = bytes.subarray(2, 2 + bytes.readUInt16BE(0));
        const rest = bytes.subarray(2 + message.length);
        bytes = Buffer.alloc(0);
        socket.pause();
        void this.#answer(message).then((answer) => sendFramed(socket, answer, rest));
      });
    socket.resume();
  }

  /** Returns the response to a query, if any. Queries only the supervisor. */
  async #answer(bytes: Buffer): Promise<Buffer | undefined> {
    const message = readMessage(bytes);
    if (message === undefined) return undefined;
    if (message.kind === 'error') return head(message, message.rcode, 0, 0, 0);
    const { question } = message;
    if (!question.isInternet) return writeAnswer(question, RCODE.refused);
    const isA = question.type === TYPE_A;
    if (isA && this.#addresses.has(question.name)) return this.#answerWithAddress(question);
    const ports = await this.#supervisor.ask(question.name, isA ? 'A' : String(question.type));
    if (ports === undefined) return writeAnswer(question, RCODE.failure);
    if (ports.length === 0) return writeAnswer(question, RCODE.noName);
    if (!isA) return writeAnswer(question, RCODE.none); // the name exists without such a record
    if (!this.#addresses.has(question.name)) this.#openName(question.name, ports);
    return this.#answerWithAddress(question);
  }

  async #answerWithAddress(question: Question): Promise<Buffer> {
    const address = await this.#addresses.get(question.name);
    return address === undefined
      ? writeAnswer(question, RCODE.failure)
      : writeAnswer(question, RCODE.none, address);
  }

  /** Assigns an address to a name. Its listeners are open before any response contains it. */
  #openName(name: string, allowed: readonly number[]): void {
    const ports = this.#free(allowed);
    if (this.#names >= MAX_NAMES || this.#listeners + ports.length > MAX_LISTENERS) return;
    const address = syntheticAddress(this.#names++);
    this.#listeners += ports.length;
    const opened = this.#listenFor(name, address, ports).catch(() => {
      this.#addresses.delete(name); // no file descriptor left: the next DNS query retries
      return undefined;
    });
    this.#addresses.set(name, opened);
  }

  /** Removes ports on which a server of the workload listens on all addresses. */
  #free(ports: readonly number[]): readonly number[] {
    return ports.filter((port) => !this.#ingress.has(port));
  }

  async #listenFor(name: string, address: string, ports: readonly number[]): Promise<string> {
    const servers = new Map<number, Server>();
    try {
      for (const port of ports) {
        const server = await this.#listenOn(name, address, port);
        if (server !== undefined) servers.set(port, server);
      }
      this.#servers.set(name, servers);
      return address;
    } catch (error) {
      for (const server of servers.values()) server.close();
      throw error;
    }
  }

  /** Returns undefined for a port on which the workload listens itself. */
  async #listenOn(name: string, address: string, port: number): Promise<Server | undefined> {
    const server = accept((client) => this.#openTunnel(client, name, port));
    try {
      await listen(server, { host: address, port });
      return server;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return undefined;
      throw error;
    }
  }

  /** Changes the listeners of an open name. A port that the workload uses stays closed. */
  async #changePorts(name: string, allowed: readonly number[]): Promise<void> {
    const address = await this.#addresses.get(name);
    const servers = this.#servers.get(name);
    if (address === undefined || servers === undefined) return;
    const ports = new Set(this.#free(allowed));
    for (const [port, server] of servers) {
      if (ports.has(port)) continue;
      server.close();
      servers.delete(port);
      this.#listeners -= 1;
    }
    for (const port of ports) {
      if (servers.has(port) || this.#listeners >= MAX_LISTENERS) continue;
      // no file descriptor is left; the port stays closed
      const server = await this.#listenOn(name, address, port).catch(() => undefined);
      if (server === undefined) continue;
      servers.set(port, server);
      this.#listeners += 1;
    }
  }

  /** Opens a tunnel for programs without proxy support: the dialled address identifies the name. */
  #openTunnel(client: Socket, name: string, port: number): void {
    const proxy = connect({ path: `${this.#folder}/egress.sock`, allowHalfOpen: true });
    if (!admit(proxy)) return cut(client);
    client.once('close', () => proxy.destroy());
    proxy.once('close', () => cut(client));
    proxy.setTimeout(TUNNEL_MS, () => cut(proxy));
    proxy.write(`CONNECT ${name}:${port} HTTP/1.1\r\nHost: ${name}:${port}\r\n\r\n`);
    let bytes: Buffer = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0 && bytes.length <= MAX_HEAD_LENGTH) return;
      proxy.off('data', read).pause().setTimeout(0);
      if (end < 0 || !bytes.toString('latin1', 0, 16).startsWith('HTTP/1.1 200 ')) return cut(client);
      if (bytes.length > end + 4) proxy.unshift(bytes.subarray(end + 4));
      client.removeAllListeners('close').once('close', () => connections.delete(client));
      proxy.removeAllListeners('close').once('close', () => connections.delete(proxy));
      join(client, proxy);
    };
    proxy.on('data', read);
  }
}

/** Tries each address, since a server may listen on only one of them. */
function reachTarget(client: Socket, port: number, [host, ...others]: readonly string[]): void {
  if (host === undefined || client.destroyed) return cut(client);
  const target = connect({ host, port, allowHalfOpen: true, noDelay: true });
  target.once('error', () => reachTarget(client, port, others));
  target.once('connect', () => {
    target.removeAllListeners('error');
    if (client.destroyed || !admit(target)) {
      cut(target);
      cut(client);
    } else join(client, target);
  });
}

/** Sends a response over TCP and continues with the data after the query. */
function sendFramed(socket: Socket, answer: Buffer | undefined, rest: Buffer): void {
  if (answer === undefined || socket.destroyed) return cut(socket);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(answer.length);
  socket.write(Buffer.concat([length, answer]));
  if (rest.length > 0) socket.unshift(rest);
  socket.resume();
}

function reply(udp: UdpSocket, answer: Buffer | undefined, port: number, address: string): void {
  if (answer !== undefined) udp.send(answer, port, address, () => undefined);
}

/** Runs until the process ends. Without the supervisor, outgoing connections stay closed. */
export function runRelay(folder: string): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
  Relay.run(folder);
}

const [, program, folder] = process.argv;
if (program !== undefined && realpathSync(program) === import.meta.filename) {
  if (folder === undefined) throw new Error('usage: relay.mjs FOLDER');
  runRelay(folder);
}
