import { TransientMap } from '@portolan/mcp-protocol';
import type { ClientExchange } from '@portolan/plugin-api';
import { UsedIds } from './used-ids.ts';

/**
 * Maximum number of pending requests that are remembered for responses on another stream, and of sessions
 * with used ids; the oldest are removed.
 */
const MAX_PENDING = 10_000;
/** Maximum number of sessions of which a removal is remembered. */
const MAX_FORGETFUL = 10_000;

/** Pending requests of clients, by session. */
export interface Exchanges {
  /** Returns false for an id that is already pending in this session. */
  add(session: string, idKey: string, exchange: ClientExchange): boolean | Promise<boolean>;
  /**
   * Returns and removes a pending request: only its first response counts. `unasked` is the context of the
   * response.
   */
  take(
    session: string,
    idKey: string,
    unasked: ClientExchange,
  ): ClientExchange | undefined | Promise<ClientExchange | undefined>;
  /** Removes a request that has its response, or will get none. */
  drop(session: string, idKey: string): void;
}

interface Pending {
  readonly session: string;
  readonly exchange: ClientExchange;
  /** Whether its session has used the id before, so that a response to the other one may arrive again. */
  readonly isReused: boolean;
}

/**
 * Pending requests of clients, by session: a response may arrive on another stream than that of its request.
 * A pending id is not accepted a second time, and after a removal the session gets no more responses there:
 * otherwise a response could be judged as one to another request. The same applies to a replayed response on
 * a resumed stream, where its id was used again.
 */
export class PendingExchanges implements Exchanges {
  readonly #pending = new TransientMap<string, Pending>();
  readonly #forgetful = new Set<string>();
  /** By session; undefined where no stream is resumed, so that no response arrives twice. */
  readonly #used: Map<string, UsedIds> | undefined;

  /** `replays`: whether streams may be replayed to clients. */
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

  /** Returns true where a response to another request of that id could arrive. */
  #use(session: string, idKey: string): boolean {
    if (this.#used === undefined) return false;
    const used = this.#used.get(session) ?? new UsedIds();
    // The most recently used are last.
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
