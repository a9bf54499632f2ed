import type { ServerLink } from '@portolan/proxy/server-link';
import type { MessageSender } from '@portolan/plugin-api';
import type { Member } from './member.ts';
import { MemberTimeout } from './member-timeout.ts';

export type OpenLink = (
  member: Member,
  sender: MessageSender | undefined,
  signal: AbortSignal,
) => Promise<ServerLink>;

/** Connections of one client, or of all clients without a handshake, to the members: one each, on first use. */
export class MemberLinks {
  readonly #open: OpenLink;
  readonly #openMs: number;
  readonly #links = new Map<Member, Promise<ServerLink>>();
  readonly #opened = new WeakMap<Promise<ServerLink>, ServerLink>();
  readonly #stop = new AbortController();

  /** `openMs` is the maximum time in milliseconds for opening a connection. */
  constructor(open: OpenLink, openMs: number) {
    this.#open = open;
    this.#openMs = openMs;
  }

  /**
   * Returns the connection, and opens it when there is none or the last one has ended. Callers at the same
   * time share it. Rejects with the reason why it cannot be opened.
   */
  async of(member: Member, sender: MessageSender | undefined): Promise<ServerLink> {
    const opening = this.#links.get(member) ?? this.#begin(member, sender);
    const link = await opening;
    if (!link.hasEnded) return link;
    this.#forget(member, opening);
    return await (this.#links.get(member) ?? this.#begin(member, sender));
  }

  /** Returns the connection if it is open, without the turns of a promise. */
  ready(member: Member): ServerLink | undefined {
    const opening = this.#links.get(member);
    const link = opening && this.#opened.get(opening);
    return link?.hasEnded === false ? link : undefined;
  }

  /** Returns the members with a connection, or with one that is being opened. */
  get members(): readonly Member[] {
    return [...this.#links.keys()];
  }

  has(member: Member): boolean {
    return this.#links.has(member);
  }

  /** Closes a connection whose session the server has lost, so that the next caller opens another one. */
  async discard(member: Member, link: ServerLink): Promise<void> {
    const opening = this.#links.get(member);
    const current = await opening?.catch(() => undefined);
    if (opening !== undefined && current === link) this.#forget(member, opening);
    await link.close().catch(() => undefined);
  }

  /** Closes the connection to one member, such as one that was removed. Never rejects. */
  async leave(member: Member): Promise<void> {
    const opening = this.#links.get(member);
    this.#links.delete(member);
    await close(opening);
  }

  /** Closes all connections. Idempotent. Never rejects. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the client has left'));
    const all = [...this.#links.values()];
    this.#links.clear();
    await Promise.all(all.map(close));
  }

  #begin(member: Member, sender: MessageSender | undefined): Promise<ServerLink> {
    const opening = this.#openOnce(member, sender);
    this.#links.set(member, opening);
    opening.then(
      (link) => this.#opened.set(opening, link),
      () => this.#forget(member, opening),
    );
    return opening;
  }

  async #openOnce(member: Member, sender: MessageSender | undefined): Promise<ServerLink> {
    const { signal: closed } = this.#stop;
    closed.throwIfAborted();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new MemberTimeout(this.#openMs)), this.#openMs);
    const signal = AbortSignal.any([closed, late.signal]);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const opening = this.#open(member, sender, signal);
    try {
      const link = await Promise.race([opening, aborted.promise]);
      void this.#closeWhenEnded(member, link);
      return link;
    } catch (error) {
      // A connection that opens too late has no client.
      void close(opening);
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
      clearTimeout(timer);
    }
  }

  async #closeWhenEnded(member: Member, link: ServerLink): Promise<void> {
    await link.ended;
    const opening = this.#links.get(member);
    if (opening !== undefined && (await opening.catch(() => undefined)) === link)
      this.#forget(member, opening);
    await link.close().catch(() => undefined);
  }

  #forget(member: Member, opening: Promise<ServerLink>): void {
    if (this.#links.get(member) === opening) this.#links.delete(member);
  }
}

async function close(opening: Promise<ServerLink> | undefined): Promise<void> {
  try {
    await (await opening)?.close();
  } catch {
    // A connection that could not be opened or closed leaves nothing to do.
  }
}
