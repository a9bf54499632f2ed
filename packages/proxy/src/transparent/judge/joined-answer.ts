import { STREAM_HEADERS, writeEvent } from '@portolan/mcp-protocol';
import type { ServerResponse } from 'node:http';

/**
 * The answer to a batch: an array once all answers are there, or an event stream
 * from the first message that cannot stand in an array.
 */
export class JoinedAnswer {
  readonly #response: ServerResponse;
  readonly #takesStream: boolean;
  readonly #answers: string[] = [];
  #awaited: number;

  constructor(response: ServerResponse, takesStream: boolean, awaited: number) {
    this.#response = response;
    this.#takesStream = takesStream;
    this.#awaited = awaited;
  }

  /** Whether what is no answer can be passed on. */
  get takesStream(): boolean {
    return this.#takesStream;
  }

  /** One of the answers; with the last one it is over. */
  answer(text: string): void {
    if (this.#awaited === 0) return;
    this.#awaited -= 1;
    if (this.#response.headersSent) this.#response.write(writeEvent({ data: text }));
    else this.#answers.push(text);
    if (this.#awaited === 0) this.#finish();
  }

  /** A message that is no answer; left out where the client takes no stream. */
  inform(text: string): void {
    if (!this.#takesStream || this.#awaited === 0 || this.#response.destroyed) return;
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, STREAM_HEADERS);
      for (const answer of this.#answers.splice(0)) this.#response.write(writeEvent({ data: answer }));
    }
    this.#response.write(writeEvent({ data: text }));
  }

  #finish(): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) {
      response.end();
      return;
    }
    const body = `[${this.#answers.join(',')}]`;
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  }
}
