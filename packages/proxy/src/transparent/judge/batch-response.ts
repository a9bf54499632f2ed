import { STREAM_HEADERS, writeEvent } from '@portolan/mcp-protocol';
import type { ServerResponse } from 'node:http';

/** Response to a batch: an array, or an event stream from the first message that an array cannot contain. */
export class BatchResponse {
  readonly #response: ServerResponse;
  readonly #takesStream: boolean;
  readonly #answers: string[] = [];
  #awaited: number;

  constructor(response: ServerResponse, takesStream: boolean, awaited: number) {
    this.#response = response;
    this.#takesStream = takesStream;
    this.#awaited = awaited;
  }

  get takesStream(): boolean {
    return this.#takesStream;
  }

  answer(text: string): void {
    if (this.#awaited === 0) return;
    this.#awaited -= 1;
    if (this.#response.headersSent) this.#response.write(writeEvent({ data: text }));
    else this.#answers.push(text);
    if (this.#awaited === 0) this.#finish();
  }

  /** Sends a message that is no response. Drops it when the client accepts no stream. */
  inform(text: string): void {
    if (!this.#takesStream || this.#awaited === 0 || this.#response.destroyed) return;
    if (!this.#response.headersSent) {
      this.#response.writeHead(200, STREAM_HEADERS);
      for (const response of this.#answers.splice(0)) this.#response.write(writeEvent({ data: response }));
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
