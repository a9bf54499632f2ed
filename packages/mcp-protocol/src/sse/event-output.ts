import type { Transform } from 'node:stream';

/** Forwards the server's events and inserts the proxy's between them. */
export class EventOutput {
  readonly #stream: Transform;
  #endsWithCr = false;
  #isOver = false;

  constructor(stream: Transform) {
    this.#stream = stream;
  }

  pass(event: Buffer | string): void {
    if (this.#isOver || this.#stream.destroyed) return;
    this.#endsWithCr = typeof event === 'string' ? event.endsWith('\r') : event.at(-1) === 0x0d;
    this.#stream.push(event);
  }

  /**
   * Inserts an event; does nothing after the end. A property, so that callers can pass the function on
   * without the object.
   */
  readonly insert = (event: string): void => {
    // If the event ended after the CR of a CR LF, its LF comes with the next event.
    this.pass(this.#endsWithCr ? `\n${event}` : event);
  };

  end(): void {
    this.#isOver = true;
  }
}
