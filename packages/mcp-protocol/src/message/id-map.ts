import { TransientMap } from './transient-map.ts';
import type { MessageId } from './message.ts';

/**
 * Pending requests to one peer. Each new id is used once, so that late or forged responses find no request.
 */
export class IdMap<Waiting> {
  readonly #prefix: string;
  readonly #waiting = new TransientMap<string, Waiting>();
  #last = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(make: (minted: MessageId) => Waiting): Waiting {
    this.#last += 1;
    const name = `${this.#prefix}-${this.#last}`;
    const waiting = make({ text: `"${name}"`, key: `s${name}` });
    this.#waiting.set(`s${name}`, waiting);
    return waiting;
  }

  find(id: MessageId): Waiting | undefined {
    return this.#waiting.get(id.key);
  }

  take(id: MessageId): Waiting | undefined {
    return this.#waiting.take(id.key);
  }

  /** Returns a copy, oldest first, so that the map may change during iteration. */
  list(): readonly Waiting[] {
    return this.#waiting.list();
  }
}
