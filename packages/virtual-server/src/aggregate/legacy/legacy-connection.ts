import {
  isJsonObject,
  isLegacyRevision,
  type JsonRecord,
  memberOf,
  type MessageId,
  NEWEST_LEGACY,
  type NotificationMessage,
  PING,
  type RequestMessage,
  type ResponseMessage,
  writeError,
  writeResult,
  writeResultText,
} from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import { isLogLevel, type LinkListener, type ServerLink } from '@portolan/proxy/server-link';
import { LIST_KINDS, type ListKind, listKindOf } from '../../lists/list-kind.ts';
import type { Member } from '../../members/member.ts';
import { MemberLinks } from '../../members/member-links.ts';
import type { Aggregate, ListListener } from '../aggregate.ts';
import {
  knownOwnerOf,
  type OwnedRequest,
  ownerOfName,
  ownerOfReference,
  ownerOfTask,
  ownerOfUri,
} from '../find-owner.ts';
import type { ConnectionParts, EraConnection } from '../era-connection.ts';
import { LegacyLists } from './legacy-lists.ts';
import { LegacyUpdates } from './legacy-updates.ts';
import { listTasks } from '../list-tasks.ts';
import { MemberCalls } from '../member-calls.ts';
import { MemberRequests, trySend } from '../member-requests.ts';
import { withLogger } from '../name-logger.ts';
import { openLegacyLink } from './open-legacy-link.ts';
import {
  levelInvalid,
  methodMissing,
  promptUnknown,
  resourceUnknown,
  taskUnknown,
  toolUnknown,
} from '../protocol-errors.ts';

const UPDATED = 'notifications/resources/updated';

/** A session of one client with a handshake. Each member has a session of its own for it, on first use. */
export class LegacyConnection implements EraConnection, ListListener {
  readonly #parts: ConnectionParts;
  readonly #aggregate: Aggregate;
  readonly #initialize: RequestMessage;
  readonly #links: MemberLinks;
  readonly #calls: MemberCalls;
  readonly #requests: MemberRequests;
  readonly #updates: LegacyUpdates;
  readonly #lists: LegacyLists;
  readonly #forget: () => void;
  #sender: MessageSender | undefined;
  #level: RequestMessage | undefined;

  constructor(parts: ConnectionParts, initialize: RequestMessage, sender: MessageSender | undefined) {
    const { aggregate, write, link } = parts;
    this.#parts = parts;
    this.#aggregate = aggregate;
    this.#initialize = initialize;
    this.#sender = sender;
    const capabilities = memberOf(initialize.params, 'capabilities');
    this.#links = new MemberLinks(
      (member, _sender, signal) => member.places.open(() => this.#openLink(member, signal), signal),
      link.limits.requestMs,
    );
    this.#calls = new MemberCalls(this.#links, aggregate.taskIds, parts);
    this.#requests = new MemberRequests(aggregate.taskIds, write);
    this.#updates = new LegacyUpdates((member) => this.#links.of(member, this.#sender));
    this.#lists = new LegacyLists({
      aggregate,
      links: this.#links,
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      sender: () => this.#sender,
      mintView: parts.mintView,
      notify: (method) => write(`{"jsonrpc":"2.0","method":"${method}"}`),
    });
    this.#forget = aggregate.listen(this);
    this.#greet();
  }

  take(
    message: RequestMessage | NotificationMessage | ResponseMessage,
    sender: MessageSender | undefined,
  ): void {
    this.#sender = sender ?? this.#sender;
    if (message.kind === 'request') void this.#request(message);
    else if (message.kind === 'response') this.#requests.respond(message);
    else this.#notify(message);
  }

  listChanged(kind: ListKind, member: Member, view: string | undefined): void {
    this.#lists.changed(kind, member, view);
  }

  memberLeft(member: Member): void {
    this.#lists.memberLeft(member);
    this.#updates.leave(member);
    void this.#links.leave(member);
  }

  async close(): Promise<void> {
    this.#forget();
    this.#lists.close();
    this.#updates.close();
    await this.#links.close();
  }

  /** Responds to the handshake without waiting for a member. */
  #greet(): void {
    const { name, version, capabilities, instructions } = this.#aggregate;
    const requested = memberOf(this.#initialize.params, 'protocolVersion');
    const isKnown = typeof requested === 'string' && isLegacyRevision(requested);
    this.#parts.write(
      writeResult(this.#initialize.id, {
        protocolVersion: isKnown ? requested : NEWEST_LEGACY,
        capabilities,
        serverInfo: { name, version },
        ...(instructions === undefined ? {} : { instructions }),
      }),
    );
  }

  async #request(message: RequestMessage): Promise<void> {
    const { id, method } = message;
    const kind = listKindOf(method);
    if (kind !== undefined) return await this.#list(kind, id);
    switch (method) {
      case 'ping':
        return this.#parts.write(writeResult(id, {}));
      case 'tools/call':
        return await this.#forward(message, ownerOfName(this.#aggregate, message), toolUnknown);
      case 'prompts/get':
        return await this.#forward(message, ownerOfName(this.#aggregate, message), promptUnknown);
      case 'completion/complete':
        return await this.#forward(
          message,
          await ownerOfReference(this.#aggregate, message, this.#lists.access),
          promptUnknown,
        );
      case 'resources/read':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return await this.#resource(message);
      case 'tasks/get':
      case 'tasks/result':
      case 'tasks/cancel':
        return await this.#forward(message, ownerOfTask(this.#aggregate, message), taskUnknown);
      case 'tasks/list':
        return this.#parts.write(
          writeResult(id, { tasks: await listTasks(this.#aggregate, this.#lists.access) }),
        );
      case 'logging/setLevel':
        return this.#setLevel(message);
      default:
        return this.#parts.write(writeError(id, methodMissing(method)));
    }
  }

  async #list(kind: ListKind, id: MessageId): Promise<void> {
    const { text } = await this.#lists.show(kind);
    this.#parts.write(writeResultText(id, `{"${kind.items}":${text}}`));
  }

  async #resource(message: RequestMessage): Promise<void> {
    const { method, params, id } = message;
    const uri = memberOf(params, 'uri');
    if (method === 'resources/subscribe' && this.#updates.isFull)
      return this.#parts.write(writeError(id, { code: -32603, message: 'Too many subscriptions are open.' }));
    const known =
      typeof uri === 'string' && method === 'resources/unsubscribe' ? this.#updates.memberOf(uri) : undefined;
    const member =
      known ??
      (typeof uri === 'string' ? await ownerOfUri(this.#aggregate, uri, this.#lists.access) : undefined);
    const owned = member === undefined ? undefined : { member, message };
    await this.#forward(message, owned, (missing) => resourceUnknown(missing, 'legacy'));
  }

  async #forward(
    { id, params }: RequestMessage,
    owned: OwnedRequest | undefined,
    unknown: (params: JsonRecord | undefined) => Parameters<typeof writeError>[1],
  ): Promise<void> {
    if (owned === undefined) return this.#parts.write(writeError(id, unknown(params)));
    await this.#calls.send({
      ...owned,
      sender: this.#sender,
      finish: (response) => {
        this.#updates.learn(owned.message, owned.member, response);
        return response.text;
      },
    });
  }

  /** Stores the level for members that are reached later, and passes it to those that are reached already. */
  #setLevel(message: RequestMessage): void {
    if (!isLogLevel(memberOf(message.params, 'level')))
      return this.#parts.write(writeError(message.id, levelInvalid()));
    this.#level = message;
    for (const member of this.#links.members) void this.#sendLevel(member, message);
    this.#parts.write(writeResult(message.id, {}));
  }

  async #sendLevel(member: Member, message: RequestMessage): Promise<void> {
    if (!member.mayHave('logging')) return;
    const link = await this.#links.of(member, this.#sender).catch(() => undefined);
    if (link !== undefined) requestLevel(link, message);
  }

  #notify(message: NotificationMessage): void {
    if (message.method === 'notifications/cancelled') this.#calls.cancel(message);
    else if (message.method === 'notifications/roots/list_changed') {
      for (const member of this.#links.members)
        void this.#links.of(member, this.#sender).then(
          (link) => trySend(link, message.text),
          () => undefined,
        );
    }
  }

  async #openLink(member: Member, signal: AbortSignal): Promise<ServerLink> {
    const { link, result } = await openLegacyLink(
      member,
      this.#initialize,
      this.#parts,
      this.#sender,
      signal,
    );
    member.learn(result);
    if (this.#level !== undefined && member.mayHave('logging')) requestLevel(link, this.#level);
    this.#updates.resubscribe(member, link);
    link.listen(this.#listenerOf(member, link));
    link.watch(PING);
    return link;
  }

  #listenerOf(member: Member, link: ServerLink): LinkListener {
    return {
      takesBatches: false,
      requested: (request) => this.#requests.add(member, link, request),
      notified: (notification) => this.#notified(member, link, notification),
      ended: () => this.#linkEnded(member, link),
    };
  }

  #linkEnded(member: Member, link: ServerLink): void {
    this.#requests.linkEnded(link);
    this.#updates.linkEnded(member);
    this.#lists.linkEnded(member);
  }

  #notified(member: Member, link: ServerLink, notification: NotificationMessage): void {
    const { method, text } = notification;
    if (LIST_KINDS.some(({ changed }) => changed === method)) this.#lists.announced(member, method);
    else if (method === 'notifications/message') {
      this.#parts.write(withLogger(member, notification), member);
    } else if (method === 'notifications/cancelled') this.#requests.takeBack(link, notification);
    else if (method === UPDATED) {
      if (this.#isOwnUpdate(member, notification)) this.#parts.write(text, member);
    } else if (!method.endsWith('/list_changed'))
      this.#parts.write(this.#aggregate.taskIds.sealIn(member.name, 'params', text), member);
  }

  /** Returns whether a member notifies of a resource that this session subscribes to there, and that is its own. */
  #isOwnUpdate(member: Member, notification: NotificationMessage): boolean {
    if (!this.#updates.isOwn(member, notification)) return false;
    const uri = String(memberOf(notification.params, 'uri'));
    const owner = knownOwnerOf(this.#aggregate, uri, this.#lists.access);
    return owner === undefined || owner === member;
  }
}

function requestLevel(link: ServerLink, message: RequestMessage): void {
  const receiver = { answered: () => undefined, progressed: () => undefined, failed: () => undefined };
  try {
    link.request(message, receiver);
  } catch {
    // The connection has ended. The next one gets the level.
  }
}
