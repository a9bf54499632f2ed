import { type StdioClientTarget, serveStdioClient } from '@portolan/mcp-client';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';

export interface StdioClientUnderTestOptions {
  readonly url: URL | (() => URL);
  readonly transport?: StdioClientTarget['transport'];
  readonly patienceMs?: number;
  readonly graceMs?: number;
}

/** Transport as in both official libraries. */
export interface ClientTransport {
  onmessage?: (message: object) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
}

type Received = (message: Record<string, unknown>) => void;

/** A front with both ends of the pipes to its client. The caller has to end it. */
export class StdioClientUnderTest {
  /** All written lines, parsed. A line that is not JSON fails the test. */
  readonly messages: Record<string, unknown>[] = [];
  readonly told: string[] = [];
  readonly finished: Promise<void>;
  readonly #input = new PassThrough();
  readonly #output = new PassThrough();
  readonly #listeners: Received[] = [];

  constructor({
    url,
    transport = 'streamable-http',
    patienceMs = 2000,
    graceMs = 50,
  }: StdioClientUnderTestOptions) {
    const output = this.#output;
    const lines = createInterface({ input: output });
    lines.on('error', () => undefined); // `breakOutput` breaks it
    lines.on('line', (line) => {
      // SAFETY: a line of another type fails the test that reads it.
      const message = JSON.parse(line) as Record<string, unknown>;
      this.messages.push(message);
      for (const listener of this.#listeners) listener(message);
    });
    this.finished = serveStdioClient(
      {
        input: this.#input,
        output,
        name: 'crew',
        findTarget: async () => ({
          url: typeof url === 'function' ? url() : url,
          transport,
          endpointPrefix: '',
          headers: {},
        }),
        tell: (line) => void this.told.push(line),
        signal: new AbortController().signal,
        retryMs: 10,
        patienceMs,
        graceMs,
      },
      '1.0.0',
    );
  }

  write(message: object | string): void {
    this.#input.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`);
  }

  on(listener: Received): void {
    this.#listeners.push(listener);
  }

  /** Closes the output, like a client that is killed. */
  breakOutput(): void {
    this.#output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  }

  async end(): Promise<void> {
    this.#input.end();
    await this.finished;
  }

  /** Transport for clients of the official libraries. */
  transport(): ClientTransport {
    const transport: ClientTransport = {
      start: async () => {
        this.on((message) => transport.onmessage?.(message));
      },
      send: async (message) => this.write(message),
      close: async () => {
        await this.end();
        transport.onclose?.();
      },
    };
    return transport;
  }
}
