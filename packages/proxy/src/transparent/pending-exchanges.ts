import type { ClientExchange } from '@portolan/plugin-api';

/** Most requests that are remembered for answers on another stream; the oldest are forgotten. */
const MOST_PENDING = 10_000;
/** Most sessions of which it is known that something of them was forgotten. */
const MOST_FORGETFUL = 10_000;

/** What clients have asked and not heard of yet, by session. */
export interface Exchanges {
  /** False for an id that waits already in this session. */
  add(session: string, idKey: string, exchange: ClientExchange): boolean | Promise<boolean>;
  /** What was asked, and is no longer waited for: only its first answer counts. `unasked` are the surroundings of the answer. */
  take(
    session: string,
    idKey: string,
    unasked: ClientExchange,
  ): ClientExchange | undefined | Promise<ClientExchange | undefined>;
  /** It was answered where it was asked, or will be nowhere. */
  drop(session: string, idKey: string): void;
}

interface Pending {
  readonly session: string;
  readonly exchange: ClientExchange;
}

/**
 * What clients have asked and not heard of yet, by session: an answer may come on
 * another stream than that of its request. An id that waits is not taken a second
 * time, and a session of which something was forgotten is told nothing there any
 * more: else an answer could be judged as that to another question.
 */
export class PendingExchanges implements Exchanges {
  readonly #pending = new Map<string, Pending>();
  readonly #forgetful = new Set<string>();

  add(session: string, idKey: string, exchange: ClientExchange): boolean {
    const key = keyOf(session, idKey);
    if (this.#pending.has(key)) return false;
    if (this.#forgetful.has(session)) return true;
    this.#pending.set(key, { session, exchange });
    if (this.#pending.size > MOST_PENDING) this.#forgetOldest();
    return true;
  }

  take(session: string, idKey: string): ClientExchange | undefined {
    const key = keyOf(session, idKey);
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    return this.#forgetful.has(session) ? undefined : pending?.exchange;
  }

  drop(session: string, idKey: string): void {
    this.take(session, idKey);
  }

  #forgetOldest(): void {
    const [oldest] = this.#pending;
    if (oldest === undefined) return;
    const [key, { session }] = oldest;
    this.#pending.delete(key);
    this.#forgetful.add(session);
    const [first] = this.#forgetful;
    if (this.#forgetful.size > MOST_FORGETFUL && first !== undefined) this.#forgetful.delete(first);
  }
}

function keyOf(session: string, idKey: string): string {
  return `${session}\n${idKey}`;
}
