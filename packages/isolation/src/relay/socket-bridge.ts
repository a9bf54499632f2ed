// Unix sockets of a folder over one pair of streams, for engines that cannot share a folder: the gateway's
// standard input and output lead to the supervisor. In the gateway this one file is loaded before the relay
// and imports nothing but Node's own modules.
//
// node --import socket-bridge.mjs relay.mjs FOLDER
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';

const KIND = { open: 1, data: 2, end: 3, reset: 4, credit: 5 } as const;
const HEAD_BYTES = 9;
const MAX_FRAME = 65_536;
const WINDOW = 262_144;
const MAX_STREAMS = 1024;

export interface ChannelOptions {
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly read: AsyncIterable<Uint8Array>;
  /** True on exactly one side, whose streams have odd numbers. */
  readonly isFirst: boolean;
  /** Called when the other side opens a stream. Returns false when it leads nowhere. */
  readonly onOpen: (name: string, stream: Duplex) => boolean;
}

/**
 * Multiplexes streams with flow control per stream, so that an unread one does not block others. A malformed
 * frame ends the connection.
 */
export class Channel {
  readonly closed: Promise<void>;
  readonly #options: ChannelOptions;
  readonly #streams = new Map<number, ChannelStream>();
  readonly #settleClosed: () => void;
  #next: number;
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
    this.#next = options.isFirst ? 1 : 2;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    this.#settleClosed = closed.resolve;
    void this.#read().then(
      () => this.close(),
      () => this.close(),
    );
  }

  /** Destroys a stream that leads nowhere with ECONNRESET. */
  open(name: string): Duplex {
    const id = this.#next;
    this.#next += 2;
    const stream = this.#add(id);
    void this.#send(KIND.open, id, Buffer.from(name));
    return stream;
  }

  /** Ends all streams. The owner closes the underlying streams. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of this.#streams.values()) stream.cut();
    this.#settleClosed();
  }

  #add(id: number): ChannelStream {
    const stream = new ChannelStream((kind, bytes) => this.#send(kind, id, bytes));
    stream.once('close', () => this.#streams.delete(id)).on('error', () => undefined);
    this.#streams.set(id, stream);
    if (this.#isClosed) stream.cut();
    return stream;
  }

  #send(kind: number, id: number, bytes: Buffer): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = kind;
    head.writeUInt32BE(id, 1);
    head.writeUInt32BE(bytes.length, 5);
    const frame = Buffer.concat([head, bytes]);
    this.#last = this.#last.then(() => this.#options.write(frame)).catch(() => this.close());
    return this.#last;
  }

  async #read(): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of this.#options.read) {
      if (this.#isClosed) return;
      rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
      for (;;) {
        if (rest.length < HEAD_BYTES) break;
        const length = rest.readUInt32BE(5);
        if (length > MAX_FRAME) throw new Error('a frame is too long');
        if (rest.length < HEAD_BYTES + length) break;
        this.#hear(rest[0] ?? 0, rest.readUInt32BE(1), rest.subarray(HEAD_BYTES, HEAD_BYTES + length));
        rest = rest.subarray(HEAD_BYTES + length);
      }
    }
  }

  #hear(kind: number, id: number, bytes: Buffer): void {
    if (kind === KIND.open) {
      const isTheirs = id % 2 === (this.#options.isFirst ? 0 : 1);
      if (!isTheirs || this.#streams.has(id)) throw new Error('a stream is opened twice');
      const stream = this.#streams.size < MAX_STREAMS ? this.#add(id) : undefined;
      if (stream === undefined) void this.#send(KIND.reset, id, Buffer.alloc(0));
      else if (!this.#options.onOpen(bytes.toString('latin1'), stream)) stream.destroy();
      return;
    }
    // The stream may be unknown: the other side can still send to a stream that this side has closed.
    this.#streams.get(id)?.hear(kind, bytes);
  }
}

class ChannelStream extends Duplex {
  readonly #send: (kind: number, bytes: Buffer) => Promise<void>;
  #credit = WINDOW;
  #unread = 0;
  #waiting: (() => void) | undefined;
  #isCut = false;

  constructor(send: (kind: number, bytes: Buffer) => Promise<void>) {
    super({ allowHalfOpen: true, readableHighWaterMark: MAX_FRAME });
    this.#send = send;
  }

  /** Destroys the stream without a message, because the other side is gone. */
  cut(): void {
    this.#isCut = true;
    this.destroy(
      Object.assign(new Error('The connection between relay and gateway was lost'), { code: 'ECONNRESET' }),
    );
  }

  hear(kind: number, bytes: Buffer): void {
    if (kind === KIND.data) {
      this.#unread += bytes.length;
      if (this.#unread > WINDOW) throw new Error('the other side sent more bytes than its window allows');
      this.push(bytes);
    } else if (kind === KIND.end) this.push(null);
    else if (kind === KIND.reset) this.cut();
    else if (kind === KIND.credit && bytes.length === 4) {
      this.#credit += bytes.readUInt32BE(0);
      const go = this.#waiting;
      this.#waiting = undefined;
      go?.();
    } else throw new Error('a frame has an unknown type');
  }

  /** The reader consumed its data, so the other side may send as much again. */
  override _read(): void {
    const taken = this.#unread - this.readableLength;
    if (taken <= 0) return;
    this.#unread -= taken;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(taken);
    void this.#send(KIND.credit, bytes);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    void this.#pass(chunk, done);
  }

  async #pass(chunk: Buffer, done: () => void): Promise<void> {
    let rest = chunk;
    while (rest.length > 0 && !this.destroyed) {
      if (this.#credit === 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#waiting = resolve;
        await promise;
        continue;
      }
      const part = rest.subarray(0, Math.min(this.#credit, MAX_FRAME));
      rest = rest.subarray(part.length);
      this.#credit -= part.length;
      await this.#send(KIND.data, part);
    }
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    void this.#end(done);
  }

  async #end(done: () => void): Promise<void> {
    await this.#send(KIND.end, Buffer.alloc(0));
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#waiting?.();
    // No reset is needed when both directions have ended, because the other side knows.
    if (!this.#isCut && !(this.readableEnded && this.writableFinished)) {
      void this.#send(KIND.reset, Buffer.alloc(0));
    }
    done(error);
  }
}

/** Forwards bytes both ways. Supports half-closed connections; an error on one side closes the other. */
export function joinBoth(left: Duplex, right: Duplex): void {
  for (const [from, to] of [
    [left, right],
    [right, left],
  ] as const) {
    from.on('error', () => undefined).pipe(to);
    from.once('close', () => {
      if (!from.readableEnded || !from.writableFinished) to.destroy();
    });
  }
}

/** Forwards each connection of a Unix socket to a stream. Rejects like `net.Server.listen`. */
export async function offerSocket(
  channel: Pick<Channel, 'open'>,
  folder: string,
  name: string,
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket: Socket) =>
    joinBoth(socket, channel.open(name)),
  );
  server.maxConnections = MAX_STREAMS;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(`${folder}/${name}`, resolve);
  await promise;
  return server;
}

export function reachSocket(folder: string, name: string, stream: Duplex): void {
  joinBoth(stream, connect({ path: `${folder}/${name}`, allowHalfOpen: true }));
}

/**
 * Runs in the gateway: offers the supervisor's sockets, connects to the sockets of the relay, and exits when
 * its input ends.
 */
export async function runBridge(folder: string): Promise<void> {
  const channel = new Channel({
    isFirst: false,
    read: process.stdin,
    write: (bytes) =>
      new Promise((resolve, reject) =>
        process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())),
      ),
    onOpen: (name, stream) => {
      if (!/^ingress-\d+\.sock$/.test(name)) return false;
      reachSocket(folder, name, stream);
      return true;
    },
  });
  void channel.closed.then(() => process.exit(0)); // the connection to the supervisor is gone
  for (const name of ['egress.sock', 'control.sock']) await offerSocket(channel, folder, name);
}

if (process.execArgv.some((word) => word === import.meta.filename)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('usage: node --import socket-bridge.mjs relay.mjs FOLDER');
  await runBridge(folder);
}
