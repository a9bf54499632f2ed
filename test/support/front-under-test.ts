import { type StdioClientTarget, serveStdioClient } from '@portolan/mcp-client';
import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';

export interface StdioClientUnderTestOptions {
  readonly url: URL | (() => URL);
  readonly transport?: StdioClientTarget['transport'];
  readonly patienceMs?: number;
  readonly graceMs?: number;
}

/** As both official libraries have it. */
export interface ClientTransport {
  onmessage?: (message: object) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
}

type Received = (message: Record<string, unknown>) => void;

/** A front, and both ends of what its client would hold. Whoever opens one ends it. */
export class StdioClientUnderTest {
  /** Every line that it has written, each parsed: a line that is no JSON fails the test. */
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
      // SAFETY: a line that is something else fails the test that looks at it.
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

  /** Closes the output as a client that is killed does. */
  breakOutput(): void {
    this.#output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  }

  async end(): Promise<void> {
    this.#input.end();
    await this.finished;
  }

  /** What clients of the official libraries speak by. */
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
