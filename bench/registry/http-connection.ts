import { connect, type Socket } from 'node:net';

/** Expected response, byte for byte. */
export interface ExpectedResponse {
  readonly status: number;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Empty if the response was only compared with an expected one. */
  readonly body: Buffer;
}

/** Request with its bytes. */
export interface WireRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

interface Exchange {
  readonly what: string;
  readonly expected: ExpectedResponse | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface Head {
  readonly status: number;
  readonly length: number;
  readonly text: string;
}

const TIMEOUT_MS = 30_000;
const HEAD_END = '\r\n\r\n';
const EMPTY = Buffer.alloc(0);

/** Returns a GET request with further header lines. */
export function wireRequest(
  url: URL,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): WireRequest {
  return encode(url, 'GET', path, headers, '');
}

/** Returns a request with a JSON body and further header lines. */
export function wireWrite(
  url: URL,
  method: 'POST' | 'PUT',
  path: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: object },
): WireRequest {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  return encode(
    url,
    method,
    path,
    { ...headers, 'Content-Type': 'application/json', 'Content-Length': length },
    text,
  );
}

function encode(
  url: URL,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): WireRequest {
  const lines = Object.entries({ Host: url.host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return { path, headers, bytes: Buffer.concat([head, Buffer.from(body)]) };
}

/**
 * Keep-alive HTTP/1.1 connection with one request at a time. It compares responses in one read buffer: a
 * `node:http` client would cost more than the measured servers. Refuses responses without a length.
 */
export class HttpConnection {
  readonly #url: URL;
  readonly #buffer = Buffer.allocUnsafe(256 * 1024);
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #headText = '';
  #head: Head | undefined;
  #received = 0;
  #parts: Buffer[] = [];

  constructor(url: URL) {
    if (url.hostname !== '127.0.0.1')
      throw new RangeError(`only 127.0.0.1 is measured; asked for ${url.host}`);
    this.#url = url;
  }

  /** Sends a request and reads the whole response. Rejects if it differs from the expected one. */
  async send(request: WireRequest, expected?: ExpectedResponse): Promise<Answer> {
    const socket = this.#socket ?? (await this.#open());
    return new Promise((resolve, reject) => {
      this.#exchange = { what: request.path, expected, resolve, reject };
      socket.write(request.bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: this.#url.hostname,
        port: Number(this.#url.port),
        noDelay: true,
        onread: {
          buffer: this.#buffer,
          callback: (length) => {
            this.#read(this.#buffer.subarray(0, length));
            return true;
          },
        },
      });
      socket.once('connect', () => {
        this.#socket = socket;
        resolve(socket);
      });
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no byte within ${TIMEOUT_MS / 1000} s`)));
      socket.on('error', (error) => {
        reject(error);
        this.#fail(error);
      });
      socket.on('close', () => {
        if (this.#socket === socket) this.#socket = undefined;
        this.#fail(new Error('the connection was closed'));
      });
    });
  }

  #read(bytes: Buffer): void {
    const body = this.#head === undefined ? this.#readHead(bytes) : bytes;
    const head = this.#head;
    if (head === undefined || body === undefined) return;
    const { expected, what } = this.#exchange ?? {};
    const end = this.#received + body.length;
    if (end > head.length) return this.#fail(new Error(`${what}: more bytes than announced`));
    if (expected === undefined) this.#parts.push(Buffer.from(body));
    else if (body.compare(expected.body, this.#received, end) !== 0) {
      return this.#fail(
        new Error(`${what}: the body differs from the one expected near byte ${this.#received}`),
      );
    }
    this.#received = end;
    if (end === head.length) this.#finish(head);
  }

  /** Continues to read the head; returns the bytes after it once it is complete. */
  #readHead(bytes: Buffer): Buffer | undefined {
    const known = this.#headText.length;
    this.#headText += bytes.toString('latin1', 0, Math.min(bytes.length, 8192));
    const end = this.#headText.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const text = this.#headText.slice(0, end);
    this.#headText = '';
    const status = Number(text.slice(9, 12));
    const length = status === 304 || status === 204 ? '0' : /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    const { expected, what } = this.#exchange ?? {};
    if (length === undefined) this.#fail(new Error(`${what}: an answer without a length, status ${status}`));
    else if (
      expected !== undefined &&
      (status !== expected.status || Number(length) !== expected.body.length)
    ) {
      const wanted = `expected ${expected.status} with ${expected.body.length} bytes`;
      this.#fail(new Error(`${what}: found status ${status} with ${length} bytes; ${wanted}`));
    } else this.#head = { status, length: Number(length), text };
    return bytes.subarray(end + HEAD_END.length - known);
  }

  #finish(head: Head): void {
    const exchange = this.#exchange;
    const body = this.#parts.length === 0 ? EMPTY : Buffer.concat(this.#parts);
    this.#reset();
    exchange?.resolve({
      status: head.status,
      body,
      headers: exchange.expected === undefined ? headersOf(head) : NONE,
    });
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#reset();
    this.close();
    exchange?.reject(error);
  }

  #reset(): void {
    this.#exchange = undefined;
    this.#head = undefined;
    this.#headText = '';
    this.#received = 0;
    this.#parts = [];
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

function headersOf({ text }: Head): ReadonlyMap<string, string> {
  const lines = text.split('\r\n').slice(1);
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
