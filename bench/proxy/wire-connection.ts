import { connect, type Socket } from 'node:net';

/** Response with its one JSON-RPC message. */
export interface WireResponse {
  readonly status: number;
  /** Status line and headers, with `\r\n` line ends. */
  readonly head: string;
  /** JSON message; for an event stream, its data. Empty if there is none. */
  readonly message: string;
}

interface Exchange {
  readonly resolve: (answer: WireResponse) => void;
  readonly reject: (error: Error) => void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const TIMEOUT_MS = 30_000;

/**
 * Keep-alive HTTP/1.1 connection with one request at a time. Uses a plain socket, because a `node:http`
 * client costs more than the measured programs.
 */
export class WireConnection {
  readonly #url: URL;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #needed = 0;

  constructor(url: URL) {
    if (url.hostname !== '127.0.0.1') throw new RangeError(`only 127.0.0.1 is measured, not ${url.host}`);
    this.#url = url;
  }

  /** Sends a request; `headers` are lines with their ends. Rejects when the connection breaks. */
  async send(method: string, headers: string, body: string): Promise<WireResponse> {
    const socket = this.#socket ?? (await this.#open());
    const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject };
      const { pathname, host } = this.#url;
      socket.write(`${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${headers}${length}\r\n${body}`);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: Number(this.#url.port), noDelay: true });
      socket.once('connect', () => {
        this.#socket = socket;
        resolve(socket);
      });
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no byte within 30 s')));
      socket.on('data', (chunk: Buffer) => this.#take(chunk));
      socket.on('error', (error) => {
        reject(error);
        this.#fail(error);
      });
      socket.on('close', () => this.#fail(new Error('the connection was closed')));
    });
  }

  /**
   * Parses the response only when enough of it has arrived, so that a large one is not concatenated
   * repeatedly.
   */
  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return;
    const all = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    const headEnd = all.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = all.toString('latin1', 0, headEnd + 2);
    const body = all.subarray(headEnd + 4);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    if (length !== undefined) this.#needed = headEnd + 4 + Number(length);
    if (length === undefined ? isChunked && !endsChunks(body) : body.length < Number(length)) return;
    this.#finish(head, isChunked ? joinChunks(body) : body);
  }

  #finish(head: string, body: Buffer): void {
    const exchange = this.#exchange;
    this.#reset();
    if (/\r\nconnection: *close/i.test(head)) this.close();
    const isStream = /\r\ncontent-type: *text\/event-stream/i.test(head);
    const text = body.toString();
    const message = isStream ? (/^data: (.+)$/m.exec(text)?.[1] ?? '') : text;
    exchange?.resolve({ status: Number(head.slice(9, 12)), head, message });
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#reset();
    this.close();
    exchange?.reject(error);
  }

  #reset(): void {
    this.#exchange = undefined;
    this.#chunks = [];
    this.#bytes = 0;
    this.#needed = 0;
  }
}

function endsChunks(body: Buffer): boolean {
  return body.length >= 5 && body.toString('latin1', body.length - 5) === '0\r\n\r\n';
}

function joinChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, end), 16);
    if (size === 0) break;
    parts.push(body.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
  return Buffer.concat(parts);
}
