import type { AnswerBody } from './open-forwarder.ts';

/** The body of an answer as it came, whole: without a stream, which costs more than most answers are. */
export class WholeBody implements AnswerBody {
  readonly #mostBytes: number;
  readonly #whole = Promise.withResolvers<Buffer | undefined>();
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Undefined for more than there may be, and for a body that broke off. */
  get whole(): Promise<Buffer | undefined> {
    return this.#whole.promise;
  }

  write(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#mostBytes) this.giveUp();
    else this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    const [only, other] = this.#chunks;
    this.#whole.resolve(only !== undefined && other === undefined ? only : Buffer.concat(this.#chunks));
  }

  /** Never has to wait. */
  once(): void {}

  /** Nobody wants it any more. */
  giveUp(): void {
    this.#chunks = [];
    this.#whole.resolve(undefined);
  }
}
