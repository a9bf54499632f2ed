import { TransientMap } from './transient-map.ts';
import type { MessageId } from './message.ts';

/**
 * Who waits for which answer of one peer. Ids towards the peer are minted here
 * and never used twice, so that two clients with the same id cannot meet, and
 * an answer that is late or made up finds nobody.
 */
export class IdMap<Waiting> {
  readonly #prefix: string;
  readonly #waiting = new TransientMap<string, Waiting>();
  #last = 0;

  /** The prefix keeps ids of different maps apart in logs. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Remembers who waits, and gives the id to send. */
  add(make: (minted: MessageId) => Waiting): Waiting {
    this.#last += 1;
    const name = `${this.#prefix}-${this.#last}`;
    const waiting = make({ text: `"${name}"`, key: `s${name}` });
    this.#waiting.set(`s${name}`, waiting);
    return waiting;
  }

  /** Who waits under this id; they wait on. */
  find(id: MessageId): Waiting | undefined {
    return this.#waiting.get(id.key);
  }

  /** Who waited under this id, and does no longer; undefined for an id that nobody waits for. */
  take(id: MessageId): Waiting | undefined {
    return this.#waiting.take(id.key);
  }

  /** Everybody who waits, the longest waiting first; a copy, so that it may be changed meanwhile. */
  list(): readonly Waiting[] {
    return this.#waiting.list();
  }
}
