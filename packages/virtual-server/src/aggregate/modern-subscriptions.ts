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
import { LIST_KINDS, type ListKind } from '../lists/list-kind.ts';
import type { Member } from '../members/member.ts';
import type { MemberLinks } from '../members/member-links.ts';
import type { ListAccess } from './list-access.ts';
import { ListChanges } from './list-changes.ts';
import { ENDLESS, LISTEN } from './list-watch.ts';

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const MAX_URIS = 1000;
/** Milliseconds before a lost subscription at a member begins again, doubling up to a minute. */
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;

export interface SubscriptionsOptions {
  readonly links: MemberLinks;
  readonly write: (text: string) => void;
  readonly ownerOf: (uri: string, access: ListAccess) => Promise<Member | undefined>;
  /** Reads a list again, so that a change becomes known. */
  readonly refresh: (kind: ListKind, access: ListAccess) => Promise<unknown>;
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
  readonly changes: ListChanges;
  /** Notifications about lists that the client wants. */
  readonly wanted: ReadonlySet<string>;
  readonly inner: readonly InnerSubscription[];
}

/**
 * Subscriptions of clients (`subscriptions/listen`). Each has a subscription at the members that own the
 * resources it names; the virtual server itself watches lists.
 */
export class ModernSubscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #outer = new Map<string, OuterSubscription>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Begins a subscription. The client gets one acknowledgement, with what is honoured. */
  async listen(message: RequestMessage, access: ListAccess): Promise<void> {
    const filter = memberOf(message.params, 'notifications');
    const wanted = wantedIn(isJsonObject(filter) ? filter : {});
    const uris = urisIn(isJsonObject(filter) ? filter : {});
    const inner = await this.#split(uris, access);
    const { id } = message;
    const changes = new ListChanges((method) => this.#write(id, method, {}));
    const outer: OuterSubscription = { id, access, changes, wanted, inner };
    this.#outer.set(id.key, outer);
    const honoured = inner.flatMap((one) => one.uris);
    this.#write(id, ACKNOWLEDGED, {
      notifications: {
        ...Object.fromEntries(
          LIST_KINDS.filter(({ changed }) => wanted.has(changed)).map(({ capability }) => [
            `${capability}ListChanged`,
            true,
          ]),
        ),
        ...(uris.length === 0 ? {} : { resourceSubscriptions: honoured }),
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
    if (notification.method === ACKNOWLEDGED) return;
    for (const outer of this.#outer.values()) {
      const inner = outer.inner.find((one) => one.link === link && one.request?.minted.key === id.key);
      if (inner === undefined || !isOwn(inner, notification)) continue;
      const path = ['params', '_meta', META.subscription];
      this.#options.write(rewriteMessage(notification.text, [{ path, by: outer.id.text }]));
      return;
    }
  }

  listChanged(kind: ListKind, member: Member, view: string | undefined): void {
    for (const { wanted, access, changes } of this.#outer.values())
      if (wanted.has(kind.changed) && (view === undefined || access.viewOf(member) === view))
        changes.note(kind.changed);
  }

  /** Reads a list again for the subscriptions that want its changes; each hears of a change of its own view. */
  refresh(member: Member, changed: string): void {
    const kinds = LIST_KINDS.filter((kind) => kind.changed === changed);
    const seen = new Set<string>();
    for (const { wanted, access } of this.#outer.values()) {
      const view = access.viewOf(member);
      if (!wanted.has(changed) || seen.has(view)) continue;
      seen.add(view);
      for (const kind of kinds) void this.#options.refresh(kind, access);
    }
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
    for (const outer of this.#outer.values()) {
      const meta = `{"${META.subscription}":${outer.id.text}}`;
      this.#options.write(writeResultText(outer.id, `{"resultType":"complete","_meta":${meta}}`));
      this.#end(outer);
    }
  }

  async #split(uris: readonly string[], access: ListAccess): Promise<readonly InnerSubscription[]> {
    const byMember = new Map<Member, string[]>();
    for (const uri of uris) {
      const member = await this.#options.ownerOf(uri, access);
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
    try {
      const link = await this.#options.links.of(inner.member, access.sender);
      if (this.#outer.get(outer.id.key) !== outer) return;
      const params = { ...access.params, notifications: { resourceSubscriptions: inner.uris } };
      const again = (): void => this.#openLater(outer, inner);
      const receiver = { answered: again, progressed: () => undefined, failed: again };
      inner.link = link;
      inner.request = link.request(ownRequest(LISTEN, params), receiver, ENDLESS, access.sender);
      inner.retryMs = FIRST_RETRY_MS;
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
    outer.changes.close();
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

function trySend(link: ServerLink, text: string): void {
  try {
    link.send(text);
  } catch {
    // The queue to the member is full, so it would not read the cancellation either.
  }
}

/** Returns whether a member may say this: an update only of a resource that the subscription has at it. */
function isOwn({ uris }: InnerSubscription, { method, params }: NotificationMessage): boolean {
  if (method !== 'notifications/resources/updated') return false;
  const uri = memberOf(params, 'uri');
  return typeof uri === 'string' && uris.some((own) => uri === own || uri.startsWith(own));
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
