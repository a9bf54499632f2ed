import type { Attachment } from '@portolan/plugin-api';

/** The end of a container's streams that a transport is handed, and the server's end of them for a test. */
export class FakeAttachment implements Attachment {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly ended: Promise<Error | undefined>;
  /** What was written to the server so far, each write by itself. */
  readonly written: Uint8Array[] = [];
  inputEnded = false;
  closed = 0;
  readonly #stdout = new ByteQueue();
  readonly #stderr = new ByteQueue();
  readonly #end = Promise.withResolvers<Error | undefined>();
  #hasEnded = false;

  constructor() {
    this.stdout = this.#stdout;
    this.stderr = this.#stderr;
    this.ended = this.#end.promise;
  }

  /** The server writes to its standard output. */
  say(bytes: Uint8Array | string): void {
    this.#stdout.push(Buffer.from(bytes));
  }

  /** The server writes to its standard error. */
  log(bytes: Uint8Array | string): void {
    this.#stderr.push(Buffer.from(bytes));
  }

  /** The server ends, or the connection to it breaks with an error. */
  end(error?: Error): void {
    this.#hasEnded = true;
    this.#stdout.end();
    this.#stderr.end();
    this.#end.resolve(error);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#hasEnded) throw new Error('the attachment has ended');
    this.written.push(Buffer.from(bytes));
  }

  endInput(): void {
    this.inputEnded = true;
  }

  close(): void {
    this.closed += 1;
    this.end();
  }
}

/** Bytes that are read once, in the pieces in which they were pushed. */
class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #pieces: Uint8Array[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
