import type { ResponseControl } from '@portolan/outbound';

/** Maximum number of unread bytes, before the connection pauses. */
const MAX_UNREAD_BYTES = 64 * 1024;

/** Body of a response, read at the pace of its reader. */
export class ReplyBody implements AsyncIterable<Uint8Array> {
  readonly #control: ResponseControl;
  readonly #chunks: Buffer[] = [];
  #unread = 0;
  #isPaused = false;
  #reader: (() => void) | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  constructor(control: ResponseControl) {
    this.#control = control;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread > MAX_UNREAD_BYTES && !this.#isPaused) {
      this.#isPaused = true;
      this.#control.pause();
    }
    this.#reader?.();
  }

  end(error?: Error): void {
    this.#end ??= { error };
    this.#reader?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#take(chunk);
          yield chunk;
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => {
            this.#reader = resolve;
          });
          this.#reader = undefined;
        } else if (this.#end.error !== undefined) {
          throw this.#end.error;
        } else {
          return;
        }
      }
    } finally {
      // A reader that leaves early needs no more of the response.
      if (this.#end === undefined) this.#control.abort(new Error('the response was discarded'));
    }
  }

  #take(chunk: Buffer): void {
    this.#unread -= chunk.length;
    if (!this.#isPaused || this.#unread > MAX_UNREAD_BYTES) return;
    this.#isPaused = false;
    this.#control.resume();
  }
}
