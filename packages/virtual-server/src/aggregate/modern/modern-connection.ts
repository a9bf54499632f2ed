import {
  DISCOVER,
  findValue,
  type JsonRecord,
  memberOf,
  META,
  metaOf,
  MODERN_REVISIONS,
  type NotificationMessage,
  ownParams,
  ownRequest,
  readId,
  type RequestMessage,
  type ResponseMessage,
  writeError,
  writeResult,
  writeResultText,
} from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import {
  levelOfLog,
  type LinkListener,
  markedRequest,
  markRequest,
  removeMark,
  type ServerLink,
  wantedLevel,
} from '@portolan/proxy/server-link';
import { type ListKind, listKindOf } from '../../lists/list-kind.ts';
import type { Member } from '../../members/member.ts';
import { MemberLinks } from '../../members/member-links.ts';
import type { Aggregate, ListListener } from '../aggregate.ts';
import type { ConnectionParts, EraConnection } from '../era-connection.ts';
import {
  knownOwnerOf,
  type OwnedRequest,
  ownerOfName,
  ownerOfReference,
  ownerOfTask,
  ownerOfUri,
} from '../find-owner.ts';
import { joinedListOf, knownListOf, type ListAccess, partOf, ttlOf } from '../list-access.ts';
import { LISTEN, ListWatch } from './list-watch.ts';
import { MemberCalls } from '../member-calls.ts';
import { ModernSubscriptions } from './modern-subscriptions.ts';
import {
  methodMissing,
  promptUnknown,
  resourceUnknown,
  taskUnknown,
  toolUnknown,
} from '../protocol-errors.ts';
import { trySend } from '../member-requests.ts';
import { withLogger } from '../name-logger.ts';
import { ModernViews } from './modern-views.ts';
import { openModernLink } from './open-modern-link.ts';
import { openState, sealState } from './request-state.ts';
import { SeenLists } from '../seen-lists.ts';

/** Members of `_meta` that say who the client is. Requests of the virtual server to members repeat them. */
const CLIENT_META = [META.claim, META.clientInfo, META.capabilities];

/** All clients without a handshake. Each member has one connection for them, on first use. */
export class ModernConnection implements EraConnection, ListListener {
  readonly #parts: ConnectionParts;
  readonly #aggregate: Aggregate;
  readonly #links: MemberLinks;
  readonly #calls: MemberCalls;
  readonly #watch = new ListWatch();
  readonly #subscriptions: ModernSubscriptions;
  readonly #forget: () => void;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#aggregate = parts.aggregate;
    this.#links = new MemberLinks(
      (member, sender, signal) => this.#openLink(member, sender, signal),
      parts.link.limits.requestMs,
    );
    this.#calls = new MemberCalls(this.#links, parts.aggregate.taskIds, parts);
    this.#subscriptions = new ModernSubscriptions({
      links: this.#links,
      write: parts.write,
      ownerOf: (uri, access) => ownerOfUri(this.#aggregate, uri, access),
      knownOwnerOf: (uri, access) => knownOwnerOf(this.#aggregate, uri, access),
      seeLists: (access, notify) => this.#seeLists(access, notify),
      refresh: (member, kind, access) => partOf(member, kind, access),
    });
    this.#forget = this.#aggregate.listen(this);
  }

  take(
    message: RequestMessage | NotificationMessage | ResponseMessage,
    sender: MessageSender | undefined,
  ): void {
    if (message.kind === 'request') void this.#request(message, sender);
    else if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      if (!this.#calls.cancel(message)) this.#subscriptions.cancel(message);
    }
  }

  listChanged(kind: ListKind, member: Member, view: string | undefined): void {
    this.#subscriptions.listChanged(kind, member, view);
  }

  memberLeft(member: Member): void {
    this.#watch.forget(member);
    this.#subscriptions.memberLeft(member);
    void this.#links.leave(member);
  }

  async close(): Promise<void> {
    this.#forget();
    this.#subscriptions.close();
    await this.#links.close();
  }

  async #request(message: RequestMessage, sender: MessageSender | undefined): Promise<void> {
    const { id, method, params } = message;
    const access = this.#accessOf(message, sender);
    const kind = listKindOf(method);
    if (kind !== undefined) return await this.#list(kind, message, access);
    switch (method) {
      case DISCOVER:
        return this.#parts.write(writeResult(id, this.#discovery()));
      case LISTEN:
        return await this.#subscriptions.listen(message, access);
      case 'tools/call':
        return await this.#forward(
          ownerOfName(this.#aggregate, message),
          message,
          access,
          toolUnknown(params),
        );
      case 'prompts/get':
        return await this.#forward(
          ownerOfName(this.#aggregate, message),
          message,
          access,
          promptUnknown(params),
        );
      case 'completion/complete':
        return await this.#forward(
          await ownerOfReference(this.#aggregate, message, access),
          message,
          access,
          promptUnknown(params),
        );
      case 'tasks/get':
      case 'tasks/update':
      case 'tasks/cancel':
        return await this.#forward(
          ownerOfTask(this.#aggregate, message),
          message,
          access,
          taskUnknown(params),
        );
      case 'resources/read':
        return await this.#read(message, access);
      default:
        return this.#parts.write(writeError(id, methodMissing(method)));
    }
  }

  #discovery(): JsonRecord {
    const { name, version, capabilities, instructions } = this.#aggregate;
    return {
      supportedVersions: MODERN_REVISIONS,
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'public',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name, version } },
    };
  }

  async #list(kind: ListKind, { id }: RequestMessage, access: ListAccess): Promise<void> {
    const joined = await joinedListOf(this.#aggregate, kind, access);
    this.#subscriptions.shown(kind, joined, access);
    const ttlMs = ttlOf(this.#aggregate, kind, access);
    const hints = `"resultType":"complete","ttlMs":${ttlMs},"cacheScope":"${joined.isPrivate ? 'private' : 'public'}"`;
    this.#parts.write(writeResultText(id, `{${hints},"${kind.items}":${joined.text}}`));
  }

  #seeLists(access: ListAccess, notify: (method: string) => void): SeenLists {
    return new SeenLists({
      known: (kind) => knownListOf(this.#aggregate, kind, access),
      namesOf: (kind) => this.#aggregate.namesOf(kind),
      filter: () => this.#aggregate.filter,
      sender: () => access.sender,
      notify,
    });
  }

  async #read(message: RequestMessage, access: ListAccess): Promise<void> {
    const uri = memberOf(message.params, 'uri');
    const member = typeof uri === 'string' ? await ownerOfUri(this.#aggregate, uri, access) : undefined;
    const owned = member === undefined ? undefined : { member, message };
    await this.#forward(owned, message, access, resourceUnknown(message.params, 'modern'));
  }

  async #forward(
    owned: OwnedRequest | undefined,
    { id }: RequestMessage,
    { sender }: ListAccess,
    unknown: Parameters<typeof writeError>[1],
  ): Promise<void> {
    if (owned === undefined) return this.#parts.write(writeError(id, unknown));
    const { member } = owned;
    const { seal, nowMs } = this.#aggregate;
    const sealedFor = { seal, member, owner: sender?.owner, nowMs };
    const opened = openState(owned.message, sealedFor);
    if ('error' in opened) return this.#parts.write(writeError(id, opened.error));
    await this.#calls.send({
      member,
      message: opened.request,
      sender,
      finish: (response) => sealState(response, sealedFor),
    });
  }

  #accessOf({ params }: RequestMessage, sender: MessageSender | undefined): ListAccess {
    const meta = metaOf(params);
    const own = Object.fromEntries(CLIENT_META.map((name) => [name, memberOf(meta, name)]));
    const views = new ModernViews(own[META.capabilities]);
    return {
      links: this.#links,
      sender,
      viewOf: (member) => (member.isPerCaller ? views.of(member.viewerOf(sender)) : views.shared),
      clientKey: () => views.of(sender?.owner ?? ''),
      params: { _meta: own },
      isWatched: (member, kind) => this.#watch.covers(member, kind),
    };
  }

  async #openLink(
    member: Member,
    sender: MessageSender | undefined,
    signal: AbortSignal,
  ): Promise<ServerLink> {
    const link = await openModernLink(member, this.#parts, sender, signal);
    link.listen(this.#listenerOf(member, link));
    this.#watch.begin(member, link, this.#aggregate.version);
    link.watch(ownRequest(DISCOVER, ownParams(this.#aggregate.version)));
    return link;
  }

  #listenerOf(member: Member, link: ServerLink): LinkListener {
    return {
      takesBatches: false,
      requested: ({ id }) =>
        trySend(
          link,
          writeError(id, { code: -32601, message: 'This protocol revision has no such requests.' }),
        ),
      notified: (notification) => this.#notified(member, link, notification),
      ended: () => {
        this.#watch.forget(member);
        this.#subscriptions.linkEnded(member);
      },
    };
  }

  #notified(member: Member, link: ServerLink, notification: NotificationMessage): void {
    const { text, method } = notification;
    const tag = findValue(text, ['params', '_meta', META.subscription]);
    const id = tag === undefined ? undefined : readId(text.slice(tag.start, tag.end));
    if (id !== undefined && this.#watch.isOwn(member, id)) {
      member.lists.invalidate(method);
      this.#subscriptions.refresh(member, method);
    } else if (id !== undefined) this.#subscriptions.pass(link, id, notification);
    else if (method === 'notifications/message') this.#log(member, link, notification);
  }

  /**
   * Passes a log message on to the request that it belongs to: the one that it names, otherwise the only one at the
   * member that wants it.
   */
  #log(member: Member, link: ServerLink, notification: NotificationMessage): void {
    const level = levelOfLog(notification);
    const named = markedRequest(notification);
    const requests =
      named === undefined ? this.#calls.pendingAt(member) : [this.#calls.requestAt(link, named)];
    const [only, other] = requests.filter(
      (request) => request !== undefined && (wantedLevel(request) ?? Infinity) <= level,
    );
    if (only === undefined || other !== undefined) return;
    const text = withLogger(member, { ...notification, text: removeMark(notification) });
    this.#parts.write(markRequest({ ...notification, text }, only.id), member);
  }
}
