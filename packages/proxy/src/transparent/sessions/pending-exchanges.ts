import { TransientMap } from '@portolan/mcp-protocol';
import type { ClientExchange } from '@portolan/plugin-api';

const MAX_TEXTS = 1000;

/**
 * Used request ids. Stores only the highest number, because clients count upwards: lower ones count as used.
 */
class UsedIds {
  #highest = -1;
  readonly #texts = new Set<string>();

  note(idKey: string): boolean {
    const number = /^n(\d{1,15})$/.exec(idKey)?.[1];
    if (number !== undefined) {
      const isUsed = Number(number) <= this.#highest;
      this.#highest = Math.max(this.#highest, Number(number));
      return isUsed;
    }
    if (this.#texts.has(idKey) || this.#texts.size >= MAX_TEXTS) return true;
    this.#texts.add(idKey);
    return false;
  }
}

/** Maximum number of pending requests, and of sessions with used ids. The oldest are evicted. */
const MAX_PENDING = 10_000;
const MAX_FORGETFUL = 10_000;

export interface Exchanges {
  /** Records a pending request. Returns false when its id is already pending. */
  add(session: string, idKey: string, exchange: ClientExchange): boolean | Promise<boolean>;
  /**
   * Returns the pending request that a response belongs to, and removes it, so that only the first response
   * counts. `unasked` is the context of the stream on which the response arrived, used when no request is
   * pending.
   */
  take(
    session: string,
    idKey: string,
    unasked: ClientExchange,
  ): ClientExchange | undefined | Promise<ClientExchange | undefined>;
  drop(session: string, idKey: string): void;
}

interface Pending {
  readonly session: string;
  readonly exchange: ClientExchange;
  /**
   * Whether an earlier request of the session had the same id, so that the earlier response may arrive again.
   */
  readonly isReused: boolean;
}

/**
 * Pending requests by session, because a response may arrive on another stream. After an eviction
 * or a reused id, refuses responses that could belong to another request.
 */
export class PendingExchanges implements Exchanges {
  readonly #pending = new TransientMap<string, Pending>();
  readonly #forgetful = new Set<string>();
  /**
   * Used ids by session. Undefined when streams are not resumable, because then no response arrives twice.
   */
  readonly #used: Map<string, UsedIds> | undefined;

  constructor({ replays }: { readonly replays: boolean }) {
    this.#used = replays ? new Map<string, UsedIds>() : undefined;
  }

  add(session: string, idKey: string, exchange: ClientExchange): boolean {
    const key = keyOf(session, idKey);
    if (this.#pending.has(key)) return false;
    const isReused = this.#use(session, idKey);
    if (this.#forgetful.has(session)) return true;
    this.#pending.set(key, { session, exchange, isReused });
    if (this.#pending.size > MAX_PENDING) this.#forgetOldest();
    return true;
  }

  take(session: string, idKey: string): ClientExchange | undefined {
    const pending = this.#pending.take(keyOf(session, idKey));
    return this.#forgetful.has(session) || pending?.isReused === true ? undefined : pending?.exchange;
  }

  drop(session: string, idKey: string): void {
    this.take(session, idKey);
  }

  #forgetOldest(): void {
    const oldest = this.#pending.oldest();
    const forgotten = oldest === undefined ? undefined : this.#pending.take(oldest);
    if (forgotten !== undefined) this.#forget(forgotten.session);
  }

  /**
   * Records a used id. Returns whether it was used before, so that the response to the earlier request could
   * still arrive.
   */
  #use(session: string, idKey: string): boolean {
    if (this.#used === undefined) return false;
    const used = this.#used.get(session) ?? new UsedIds();
    // Inserting again makes this session the most recently used.
    this.#used.delete(session);
    this.#used.set(session, used);
    if (this.#used.size > MAX_PENDING) {
      const [oldest] = this.#used.keys();
      if (oldest !== undefined) {
        this.#used.delete(oldest);
        this.#forget(oldest);
      }
    }
    return used.note(idKey);
  }

  #forget(session: string): void {
    this.#forgetful.add(session);
    const [first] = this.#forgetful;
    if (this.#forgetful.size > MAX_FORGETFUL && first !== undefined) this.#forgetful.delete(first);
  }
}

function keyOf(session: string, idKey: string): string {
  return `${session}\n${idKey}`;
}
