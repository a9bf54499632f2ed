import type { Attachment } from '@portolan/plugin-api';

/** Streams of a container for a transport under test, with the server's end for the test. */
export class FakeAttachment implements Attachment {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly ended: Promise<Error | undefined>;
  /** Data for the server so far, one element per write. */
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

  say(bytes: Uint8Array | string): void {
    this.#stdout.push(Buffer.from(bytes));
  }

  log(bytes: Uint8Array | string): void {
    this.#stderr.push(Buffer.from(bytes));
  }

  /** Ends the server, or breaks the connection with an error. */
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

/** Queue of bytes, which are read once, in the chunks in which they were pushed. */
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
