import type { ResponseBody } from './open-forwarder.ts';

/** Collects a body without a stream, which would cost more than most responses. */
export class WholeBody implements ResponseBody {
  readonly #maxBytes: number;
  readonly #whole = Promise.withResolvers<Buffer | undefined>();
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Undefined above the limit, and for a truncated body. */
  get whole(): Promise<Buffer | undefined> {
    return this.#whole.promise;
  }

  write(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.giveUp();
    else this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    const [only, other] = this.#chunks;
    this.#whole.resolve(only !== undefined && other === undefined ? only : Buffer.concat(this.#chunks));
  }

  once(): void {}

  giveUp(): void {
    this.#chunks = [];
    this.#whole.resolve(undefined);
  }
}
