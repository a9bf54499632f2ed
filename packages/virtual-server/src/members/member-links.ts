import type { ServerLink } from '@portolan/proxy/server-link';
import type { MessageSender } from '@portolan/plugin-api';
import type { Member } from './member.ts';

export type OpenLink = (member: Member, sender: MessageSender | undefined) => Promise<ServerLink>;

/** Connections of one client, or of all clients without a handshake, to the members: one each, on first use. */
export class MemberLinks {
  readonly #open: OpenLink;
  readonly #links = new Map<Member, Promise<ServerLink>>();
  #isClosed = false;

  constructor(open: OpenLink) {
    this.#open = open;
  }

  /**
   * Returns the connection, and opens it when there is none or the last one has ended. Callers at the same
   * time share it. Rejects with the reason why it cannot be opened.
   */
  of(member: Member, sender: MessageSender | undefined): Promise<ServerLink> {
    const known = this.#links.get(member);
    if (known !== undefined) return known;
    const opening = this.#openOnce(member, sender);
    this.#links.set(member, opening);
    opening.catch(() => this.#forget(member, opening));
    return opening;
  }

  /** Returns the members with a connection, or with one that is being opened. */
  get members(): readonly Member[] {
    return [...this.#links.keys()];
  }

  has(member: Member): boolean {
    return this.#links.has(member);
  }

  /** Closes the connection to one member, such as one that was removed. Never rejects. */
  async leave(member: Member): Promise<void> {
    const opening = this.#links.get(member);
    this.#links.delete(member);
    await close(opening);
  }

  /** Closes all connections. Idempotent. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#links.values()];
    this.#links.clear();
    await Promise.all(all.map(close));
  }

  async #openOnce(member: Member, sender: MessageSender | undefined): Promise<ServerLink> {
    const link = await this.#open(member, sender);
    if (this.#isClosed) {
      await link.close();
      throw new Error('the client has left');
    }
    void this.#closeWhenEnded(member, link);
    return link;
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
