import { TransientMap } from '@portolan/mcp-protocol';
import type { ClientExchange } from '@portolan/plugin-api';
import { UsedIds } from './used-ids.ts';

/** Most requests that are remembered for answers on another stream, and sessions of which ids are; the oldest are forgotten. */
const MAX_PENDING = 10_000;
/** Most sessions of which it is known that something of them was forgotten. */
const MAX_FORGETFUL = 10_000;

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
  /** Whether its session has used the id before, so that an answer to the other one may come again. */
  readonly isReused: boolean;
}

/**
 * What clients have asked and not heard of yet, by session: an answer may come on
 * another stream than that of its request. An id that waits is not taken a second
 * time, and a session of which something was forgotten is told nothing there any
 * more: else an answer could be judged as that to another question. So could one
 * that is told again to who resumes an old stream, where its id was used anew.
 */
export class PendingExchanges implements Exchanges {
  readonly #pending = new TransientMap<string, Pending>();
  readonly #forgetful = new Set<string>();
  /** By session; undefined where no stream is resumed, so that no answer comes a second time. */
  readonly #used: Map<string, UsedIds> | undefined;

  /** `replays`: whether clients may have streams told again to them. */
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

  /** True where an answer to another request of that id could come. */
  #use(session: string, idKey: string): boolean {
    if (this.#used === undefined) return false;
    const used = this.#used.get(session) ?? new UsedIds();
    // Those that were used last stand last.
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
