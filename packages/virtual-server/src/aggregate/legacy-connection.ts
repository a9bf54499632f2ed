import {
  IdMap,
  isJsonObject,
  isLegacyRevision,
  type JsonRecord,
  memberOf,
  type MessageId,
  NEWEST_LEGACY,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  readId,
  rewriteMessage,
  spliceChanges,
  findValue,
  writeError,
  writeResult,
  writeResultText,
} from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { LinkListener, ServerLink } from '@portolan/proxy/server-link';
import { type ListKind, listKindOf } from '../lists/list-kind.ts';
import type { Member } from '../members/member.ts';
import { MemberLinks } from '../members/member-links.ts';
import type { Aggregate, ListListener } from './aggregate.ts';
import { ownerOfName, ownerOfReference, ownerOfTask, ownerOfUri } from './find-owner.ts';
import type { ConnectionParts, EraConnection } from './era-connection.ts';
import { joinedListOf, type ListAccess } from './list-access.ts';
import { ListChanges } from './list-changes.ts';
import { MemberCalls } from './member-calls.ts';
import { listTasks } from './list-tasks.ts';
import { openLegacyLink } from './open-legacy-link.ts';
import {
  methodMissing,
  promptUnknown,
  resourceUnknown,
  taskUnknown,
  toolUnknown,
} from './protocol-errors.ts';

interface ServerRequestOfMember {
  readonly member: string;
  readonly minted: MessageId;
  readonly link: ServerLink;
  readonly id: MessageId;
}

/** A session of one client with a handshake. Each member has a session of its own for it, on first use. */
export class LegacyConnection implements EraConnection, ListListener {
  readonly #parts: ConnectionParts;
  readonly #aggregate: Aggregate;
  readonly #initialize: RequestMessage;
  readonly #links: MemberLinks;
  readonly #calls: MemberCalls;
  readonly #serverRequests = new IdMap<ServerRequestOfMember>('m');
  /** Members whose process for this session has announced a change, so that their lists are no one else's. */
  readonly #ownViews = new Set<Member>();
  readonly #changes: ListChanges;
  readonly #capabilities: JsonRecord;
  readonly #forget: () => void;
  #sender: MessageSender | undefined;
  #level: RequestMessage | undefined;
  #sessionView = '';

  constructor(parts: ConnectionParts, initialize: RequestMessage, sender: MessageSender | undefined) {
    this.#parts = parts;
    this.#aggregate = parts.aggregate;
    this.#initialize = initialize;
    this.#sender = sender;
    const capabilities = memberOf(initialize.params, 'capabilities');
    this.#capabilities = isJsonObject(capabilities) ? capabilities : {};
    this.#links = new MemberLinks((member) => member.places.open(() => this.#openLink(member)));
    this.#calls = new MemberCalls(this.#links, parts.aggregate.taskIds, parts.write);
    this.#changes = new ListChanges((kind) => parts.write(`{"jsonrpc":"2.0","method":"${kind}"}`));
    this.#forget = this.#aggregate.listen(this);
    this.#greet();
  }

  take(
    message: RequestMessage | NotificationMessage | ResponseMessage,
    sender: MessageSender | undefined,
  ): void {
    this.#sender = sender ?? this.#sender;
    if (message.kind === 'request') void this.#request(message);
    else if (message.kind === 'response') this.#respond(message);
    else this.#notify(message);
  }

  listChanged(kind: ListKind, member: Member, view: string | undefined): void {
    if (view === undefined || view === this.#viewOf(member)) this.#changes.note(kind.changed);
  }

  memberLeft(member: Member): void {
    this.#ownViews.delete(member);
    void this.#links.leave(member);
  }

  async close(): Promise<void> {
    this.#forget();
    this.#changes.close();
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
          await ownerOfReference(this.#aggregate, message, this.#access()),
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
          writeResult(id, { tasks: await listTasks(this.#aggregate, this.#access()) }),
        );
      case 'logging/setLevel':
        return this.#setLevel(message);
      default:
        return this.#parts.write(writeError(id, methodMissing(method)));
    }
  }

  async #list(kind: ListKind, id: MessageId): Promise<void> {
    const { text } = await joinedListOf(this.#aggregate, kind, this.#access());
    this.#parts.write(writeResultText(id, `{"${kind.items}":${text}}`));
  }

  async #resource(message: RequestMessage): Promise<void> {
    const uri = memberOf(message.params, 'uri');
    const member =
      typeof uri === 'string' ? await ownerOfUri(this.#aggregate, uri, this.#access()) : undefined;
    const owned = member === undefined ? undefined : { member, message };
    await this.#forward(message, owned, (params) => resourceUnknown(params, 'legacy'));
  }

  async #forward(
    { id, params }: RequestMessage,
    owned: { readonly member: Member; readonly message: RequestMessage } | undefined,
    unknown: (params: JsonRecord | undefined) => Parameters<typeof writeError>[1],
  ): Promise<void> {
    if (owned === undefined) this.#parts.write(writeError(id, unknown(params)));
    else await this.#calls.send({ ...owned, sender: this.#sender });
  }

  /** Stores the level for members that are reached later, and passes it to those that are reached already. */
  #setLevel(message: RequestMessage): void {
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
          (link) => link.send(message.text),
          () => undefined,
        );
    }
  }

  #respond(message: ResponseMessage): void {
    const request = this.#serverRequests.take(message.id);
    if (request === undefined) return;
    const text = this.#aggregate.taskIds.openIn(request.member, 'result', message.text);
    request.link.send(rewriteMessage(text, [{ path: ['id'], by: request.id.text }]));
    request.link.restartClocks();
  }

  async #openLink(member: Member): Promise<ServerLink> {
    const { link, result } = await openLegacyLink(member, this.#initialize, this.#parts, this.#sender);
    member.learn(result);
    if (this.#level !== undefined && member.mayHave('logging')) requestLevel(link, this.#level);
    link.listen(this.#listenerOf(member, link));
    return link;
  }

  #listenerOf(member: Member, link: ServerLink): LinkListener {
    return {
      takesBatches: false,
      requested: (request) => {
        const { minted } = this.#serverRequests.add((own) => ({
          minted: own,
          member: member.name,
          link,
          id: request.id,
        }));
        link.restartClocks();
        const text = this.#aggregate.taskIds.sealIn(member.name, 'params', request.text);
        this.#parts.write(rewriteMessage(text, [{ path: ['id'], by: minted.text }]));
      },
      notified: (notification) => this.#notified(member, link, notification),
      ended: () => undefined,
    };
  }

  #notified(member: Member, link: ServerLink, notification: NotificationMessage): void {
    const { method } = notification;
    if (method.endsWith('/list_changed')) {
      // This process may have changed alone, so its lists are no longer those of other sessions.
      this.#ownViews.add(member);
      member.lists.invalidate(method, this.#viewOf(member));
      this.#changes.note(method);
    } else if (method === 'notifications/message') {
      this.#parts.write(withLogger(member, notification));
    } else if (method === 'notifications/cancelled') this.#takeBack(link, notification);
    else this.#parts.write(this.#aggregate.taskIds.sealIn(member.name, 'params', notification.text));
  }

  /** Passes on that a member no longer wants the response to one of its requests. */
  #takeBack(link: ServerLink, { text }: NotificationMessage): void {
    const span = findValue(text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(text.slice(span.start, span.end));
    const request = this.#serverRequests.list().find((one) => one.link === link && one.id.key === id?.key);
    if (request === undefined) return;
    this.#serverRequests.take(request.minted);
    this.#parts.write(rewriteMessage(text, [{ path: ['params', 'requestId'], by: request.minted.text }]));
  }

  #access(): ListAccess {
    return {
      links: this.#links,
      sender: this.#sender,
      viewOf: (member) => this.#viewOf(member),
      params: {},
      isWatched: (member, kind) => this.#links.has(member) && member.announcesChanges(kind),
    };
  }

  #viewOf(member: Member): string {
    if (this.#ownViews.has(member)) {
      this.#sessionView ||= this.#parts.mintView();
      return this.#sessionView;
    }
    const owner = member.source.isPerCaller ? (this.#sender?.owner ?? '') : '';
    return JSON.stringify(['legacy', owner, this.#capabilities]);
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

/** Returns a log message whose logger names the member. */
function withLogger({ name }: Member, { text, params }: NotificationMessage): string {
  const logger = memberOf(params, 'logger');
  if (params === undefined) return text;
  const label = typeof logger === 'string' ? `${name}.${logger}` : name;
  return spliceChanges(text, [{ path: ['params', 'logger'], json: JSON.stringify(label) }]);
}
