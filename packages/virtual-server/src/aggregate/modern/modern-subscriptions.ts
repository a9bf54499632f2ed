import {
  findValue,
  isJsonObject,
  type JsonRecord,
  memberOf,
  type MessageId,
  META,
  type NotificationMessage,
  ownRequest,
  readId,
  type RequestMessage,
  rewriteMessage,
  writeNotification,
  writeResultText,
} from '@portolan/mcp-protocol';
import type { ServerLink, ServerRequest } from '@portolan/proxy/server-link';
import { LIST_KINDS, type ListKind } from '../../lists/list-kind.ts';
import type { Member } from '../../members/member.ts';
import type { JoinedList } from '../../lists/joined-list.ts';
import type { WriteMessage } from '../era-connection.ts';
import type { MemberLinks } from '../../members/member-links.ts';
import type { ListAccess } from '../list-access.ts';
import { isBelow } from '../resource-parts.ts';
import { ListChanges } from '../list-changes.ts';
import { ENDLESS, LISTEN } from './list-watch.ts';
import { trySend } from '../member-requests.ts';
import type { SeenLists } from '../seen-lists.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const UPDATED = 'notifications/resources/updated';
const MAX_URIS = 1000;
/** Milliseconds before a lost subscription at a member begins again, doubling up to a minute. */
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

export interface SubscriptionsOptions {
  readonly links: MemberLinks;
  readonly write: WriteMessage;
  readonly ownerOf: (uri: string, access: ListAccess) => Promise<Member | undefined>;
  /** Returns the member that is known to list a URI. */
  readonly knownOwnerOf: (uri: string, access: ListAccess) => Member | undefined;
  /** Creates the record of what a client has seen of the lists, which calls `notify` with changes. */
  readonly seeLists: (access: ListAccess, notify: (method: string) => void) => SeenLists;
  /** Reads the list of a member again, so that a change becomes known. */
  readonly refresh: (member: Member, kind: ListKind, access: ListAccess) => Promise<unknown>;
}

interface InnerSubscription {
  readonly member: Member;
  readonly uris: readonly string[];
  link: ServerLink | undefined;
  request: ServerRequest | undefined;
  retryMs: number;
  retry: NodeJS.Timeout | undefined;
}

interface OuterSubscription {
  readonly id: MessageId;
  readonly access: ListAccess;
  readonly lists: SeenLists;
  /** Notifications about lists that the client wants. */
  readonly wanted: ReadonlySet<string>;
  /** Empty until the owners of the resources are known. */
  inner: readonly InnerSubscription[];
}

/**
 * Subscriptions of clients (`subscriptions/listen`). Each has a subscription at the members that own the
 * resources it names; the virtual server itself watches lists.
 */
export class ModernSubscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #outer = new Map<string, OuterSubscription>();
  readonly #rereads: ListChanges;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
    this.#rereads = new ListChanges((list) => this.#reread(list));
  }

  /** Begins a subscription. The client gets one acknowledgement, with what is honoured. */
  async listen({ id, params }: RequestMessage, access: ListAccess): Promise<void> {
    const requested = memberOf(params, 'notifications');
    const filter = isJsonObject(requested) ? requested : {};
    const wanted = wantedIn(filter);
    const lists = this.#options.seeLists(access, (method) => {
      if (wanted.has(method)) this.#write(id, method, {});
    });
    lists.showKnown();
    const outer: OuterSubscription = { id, access, lists, wanted, inner: [] };
    this.#outer.set(id.key, outer);
    const uris = urisIn(filter);
    const inner = await this.#split(uris, access);
    if (this.#outer.get(id.key) !== outer) return;
    outer.inner = inner;
    this.#write(id, ACKNOWLEDGED, {
      notifications: {
        ...Object.fromEntries(
          LIST_KINDS.filter(({ changed }) => wanted.has(changed)).map(({ capability }) => [
            `${capability}ListChanged`,
            true,
          ]),
        ),
        ...(uris.length === 0 ? {} : { resourceSubscriptions: inner.flatMap((one) => one.uris) }),
      },
    });
    for (const one of inner) void this.#open(outer, one);
  }

  /** Ends the subscription that a notification cancels, if it is one. */
  cancel({ text }: NotificationMessage): void {
    const span = findValue(text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(text.slice(span.start, span.end));
    const outer = id === undefined ? undefined : this.#outer.get(id.key);
    if (outer !== undefined) this.#end(outer);
  }

  /** Passes a notification of a member on to the subscription that it is for. */
  pass(link: ServerLink, id: MessageId, notification: NotificationMessage): void {
    for (const outer of this.#outer.values()) {
      const inner = outer.inner.find((one) => one.link === link && one.request?.minted.key === id.key);
      if (inner === undefined) continue;
      if (notification.method === ACKNOWLEDGED) inner.retryMs = FIRST_RETRY_MS;
      else if (this.#isOwn(outer, inner, notification)) {
        const path = ['params', '_meta', META.subscription];
        this.#options.write(rewriteMessage(notification.text, [{ path, by: outer.id.text }]), inner.member);
      }
      return;
    }
  }

  listChanged(kind: ListKind, member: Member, view: string | undefined): void {
    for (const { wanted, access, lists } of this.#outer.values()) {
      if (!wanted.has(kind.changed)) continue;
      if (view === undefined || access.viewOf(member) === view) lists.noteChange(kind);
    }
    // The list of a new member has not been read yet.
    if (view === undefined) this.#refreshNow(member, kind);
  }

  /** Records a list that a client has got, for subscriptions whose clients can have seen no other. */
  shown(kind: ListKind, joined: JoinedList, access: ListAccess): void {
    for (const outer of this.#outer.values())
      if (!outer.lists.has(kind) && outer.access.clientKey() === access.clientKey())
        outer.lists.shown(kind, joined);
  }

  /** Reads a list again for the subscriptions that want its changes; each hears of a change of its own view. */
  refresh(member: Member, changed: string): void {
    if (LIST_KINDS.some((kind) => kind.changed === changed)) this.#rereads.note(`${member.name}/${changed}`);
  }

  /** Begins the subscriptions at a member again after its connection has ended. */
  linkEnded(member: Member): void {
    for (const outer of this.#outer.values())
      for (const inner of outer.inner) if (inner.member === member) this.#openLater(outer, inner);
  }

  memberLeft(member: Member): void {
    for (const { inner } of this.#outer.values())
      for (const one of inner) if (one.member === member) stop(one);
  }

  /** Ends all subscriptions with a result, so that clients do not take the end for an error. */
  close(): void {
    this.#rereads.close();
    for (const outer of this.#outer.values()) {
      const meta = `{"${META.subscription}":${outer.id.text}}`;
      this.#options.write(writeResultText(outer.id, `{"resultType":"complete","_meta":${meta}}`));
      this.#end(outer);
    }
  }

  #reread(list: string): void {
    const at = list.indexOf('/');
    const member = this.#options.links.members.find(({ name }) => name === list.slice(0, at));
    const changed = list.slice(at + 1);
    for (const kind of LIST_KINDS)
      if (member !== undefined && kind.changed === changed) this.#refreshNow(member, kind);
  }

  #refreshNow(member: Member, kind: ListKind): void {
    const views = new Set<string>();
    for (const { wanted, access, lists } of this.#outer.values()) {
      const view = access.viewOf(member);
      if (!wanted.has(kind.changed) || !lists.has(kind) || views.has(view)) continue;
      views.add(view);
      void this.#options.refresh(member, kind, access);
    }
  }

  /** Returns whether a member may say this: an update only of a resource that the subscription has at it. */
  #isOwn(
    { access }: OuterSubscription,
    inner: InnerSubscription,
    notification: NotificationMessage,
  ): boolean {
    const uri = memberOf(notification.params, 'uri');
    if (notification.method !== UPDATED || typeof uri !== 'string') return false;
    if (inner.uris.includes(uri)) return true;
    const owner = this.#options.knownOwnerOf(uri, access);
    const isPart = inner.uris.some((own) => isBelow(uri, own));
    return isPart && (owner === undefined || owner === inner.member);
  }

  async #split(uris: readonly string[], access: ListAccess): Promise<readonly InnerSubscription[]> {
    const byMember = new Map<Member, string[]>();
    const owners = await Promise.all(uris.map((uri) => this.#options.ownerOf(uri, access)));
    for (const [at, uri] of uris.entries()) {
      const member = owners[at];
      if (member === undefined) continue;
      const own = byMember.get(member) ?? [];
      own.push(uri);
      byMember.set(member, own);
    }
    return [...byMember].map(([member, own]) => ({
      member,
      uris: own,
      link: undefined,
      request: undefined,
      retryMs: FIRST_RETRY_MS,
      retry: undefined,
    }));
  }

  async #open(outer: OuterSubscription, inner: InnerSubscription): Promise<void> {
    const { access } = outer;
    const sender = inner.member.callerOf(access.sender);
    try {
      const link = await this.#options.links.of(inner.member, sender);
      if (this.#outer.get(outer.id.key) !== outer) return;
      const params = { ...access.params, notifications: { resourceSubscriptions: inner.uris } };
      const again = (): void => this.#openLater(outer, inner);
      const receiver = { answered: again, progressed: () => undefined, failed: again };
      inner.link = link;
      inner.request = link.request(ownRequest(LISTEN, params), receiver, ENDLESS, sender);
    } catch {
      this.#openLater(outer, inner);
    }
  }

  #openLater(outer: OuterSubscription, inner: InnerSubscription): void {
    inner.link = undefined;
    inner.request = undefined;
    if (inner.retry !== undefined || this.#outer.get(outer.id.key) !== outer) return;
    inner.retry = setTimeout(() => {
      inner.retry = undefined;
      void this.#open(outer, inner);
    }, inner.retryMs);
    inner.retryMs = Math.min(inner.retryMs * 2, MAX_RETRY_MS);
  }

  #end(outer: OuterSubscription): void {
    this.#outer.delete(outer.id.key);
    outer.lists.close();
    for (const inner of outer.inner) {
      const { link, request } = inner;
      stop(inner);
      if (link === undefined || request === undefined) continue;
      const params = `{"requestId":${request.minted.text}}`;
      link.drop(request);
      trySend(link, writeNotification('notifications/cancelled', params));
    }
  }

  #write(id: MessageId, method: string, params: JsonRecord): void {
    const text = JSON.stringify({ ...params, _meta: { [META.subscription]: 0 } });
    const message = writeNotification(method, text);
    const path = ['params', '_meta', META.subscription];
    this.#options.write(rewriteMessage(message, [{ path, by: id.text }]));
  }
}

function stop(inner: InnerSubscription): void {
  clearTimeout(inner.retry);
  inner.retry = undefined;
  inner.link = undefined;
  inner.request = undefined;
}

function wantedIn(filter: JsonRecord): ReadonlySet<string> {
  return new Set(
    LIST_KINDS.filter(({ capability }) => memberOf(filter, `${capability}ListChanged`) === true).map(
      ({ changed }) => changed,
    ),
  );
}

function urisIn(filter: JsonRecord): readonly string[] {
  const uris = memberOf(filter, 'resourceSubscriptions');
  const texts = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
  return [...new Set(texts)].slice(0, MAX_URIS);
}
