import type { ClientExchange } from '@portolan/plugin-api';

/** Most requests that are remembered for answers on another stream; the oldest are forgotten. */
const MOST_PENDING = 10_000;

/** What clients have asked and not heard of yet, by session: an answer may come on another stream than that of its request. */
export class PendingExchanges {
  readonly #pending = new Map<string, ClientExchange>();

  add(session: string, idKey: string, exchange: ClientExchange): void {
    const key = keyOf(session, idKey);
    this.#pending.delete(key);
    this.#pending.set(key, exchange);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MOST_PENDING && oldest !== undefined) this.#pending.delete(oldest);
  }

  /** What was asked, and is no longer waited for: only its first answer counts. */
  take(session: string, idKey: string): ClientExchange | undefined {
    const key = keyOf(session, idKey);
    const exchange = this.#pending.get(key);
    this.#pending.delete(key);
    return exchange;
  }
}

function keyOf(session: string, idKey: string): string {
  return `${session}\n${idKey}`;
}
