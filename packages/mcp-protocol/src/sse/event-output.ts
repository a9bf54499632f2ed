import type { Transform } from 'node:stream';

/** Output of a stream that passes events of a server on, and takes events of the proxy between them. */
export class EventOutput {
  readonly #stream: Transform;
  #endsWithCr = false;
  #isOver = false;

  constructor(stream: Transform) {
    this.#stream = stream;
  }

  /** Passes on one whole event of the server. */
  pass(event: Buffer | string): void {
    if (this.#isOver || this.#stream.destroyed) return;
    this.#endsWithCr = typeof event === 'string' ? event.endsWith('\r') : event.at(-1) === 0x0d;
    this.#stream.push(event);
  }

  /** Sends an event of the proxy; a no-op once the stream has ended. A function, so that others can keep it. */
  readonly insert = (event: string): void => {
    // Of a CR LF, the CR ends the event of the server, and the LF comes with the next one.
    this.pass(this.#endsWithCr ? `\n${event}` : event);
  };

  /** Nothing can be sent any more. */
  end(): void {
    this.#isOver = true;
  }
}
