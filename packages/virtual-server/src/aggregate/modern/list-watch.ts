import { type MessageId, ownParams, ownRequest } from '@portolan/mcp-protocol';
import type { ServerLink } from '@portolan/proxy/server-link';
import { LIST_KINDS, type ListKind } from '../../lists/list-kind.ts';
import type { Member } from '../../members/member.ts';

export const LISTEN = 'subscriptions/listen';

/** Time limits of a request without an end. */
export const ENDLESS = { requestMs: Infinity, longestRequestMs: Infinity, cancelledMs: 1000 };

/** Subscriptions of the virtual server itself to changes of the members' lists, one for each member. */
export class ListWatch {
  readonly #ids = new Map<Member, MessageId>();

  /** Subscribes to the changes that the member announces. A member that refuses has its lists read again. */
  begin(member: Member, link: ServerLink, version: string): void {
    const kinds = LIST_KINDS.filter((kind) => member.announcesChanges(kind));
    if (kinds.length === 0) return;
    const notifications = Object.fromEntries(
      kinds.map(({ capability }) => [`${capability}ListChanged`, true]),
    );
    const forget = (): void => this.forget(member);
    const receiver = { answered: forget, progressed: () => undefined, failed: forget };
    try {
      const message = ownRequest(LISTEN, ownParams(version, { notifications }));
      this.#ids.set(member, link.request(message, receiver, ENDLESS).minted);
    } catch {
      // The connection has ended. The next one subscribes again.
    }
  }

  forget(member: Member): void {
    this.#ids.delete(member);
  }

  isOwn(member: Member, id: MessageId): boolean {
    return this.#ids.get(member)?.key === id.key;
  }

  covers(member: Member, kind: ListKind): boolean {
    return this.#ids.has(member) && member.announcesChanges(kind);
  }
}
