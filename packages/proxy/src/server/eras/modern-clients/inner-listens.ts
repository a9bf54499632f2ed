import {
  isJsonObject,
  type JsonRecord,
  memberOf,
  type MessageId,
  META,
  type NotificationMessage,
  type RequestMessage,
  stringsIn,
  subscriptionsExhausted,
  writeNotification,
} from '@portolan/mcp-protocol';
import { isPortolanError, type PortolanError, type ReceivedMessage } from '@portolan/plugin-api';
import { proxyClosing, serverFailedToStart } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import type { Caller } from './caller.ts';
import type { EraContext } from '../era-options.ts';
import { InnerSession } from './inner-session.ts';
import { setMembers } from '../rewrite-members.ts';
import type { ServerEras } from '../server-eras.ts';

/** Minimum lifetime of a session before a lost one is opened again. */
const REOPEN_AFTER_MS = 10_000;

/** Members of a subscription's filter, with the notifications and the server's capabilities for them. */
const LISTS = [
  { member: 'toolsListChanged', area: 'tools' },
  { member: 'promptsListChanged', area: 'prompts' },
  { member: 'resourcesListChanged', area: 'resources' },
] as const;

const UPDATED = 'notifications/resources/updated';

interface Listen {
  readonly id: MessageId;
  readonly methods: ReadonlySet<string>;
  readonly uris: ReadonlySet<string>;
}

export interface InnerListensOptions {
  readonly eras: ServerEras;
  readonly context: EraContext;
  readonly deliver: (message: ReceivedMessage, mayDrop: boolean) => void;
  /** Session that all clients share. Default: one session for each caller. */
  readonly shared: InnerSession | undefined;
  /** Returns a session whose handshake says what the server supports. */
  readonly known: () => InnerSession | undefined;
}

/** Subscriptions of Modern clients to a Legacy server. All subscriptions of one caller share one inner session. */
export class InnerListens {
  readonly #options: InnerListensOptions;
  readonly #groups = new Map<string | undefined, ListenGroup>();
  #isClosed = false;

  constructor(options: InnerListensOptions) {
    this.#options = options;
  }

  get size(): number {
    return [...this.#groups.values()].reduce((sum, group) => sum + group.size, 0);
  }

  open(message: RequestMessage, caller: Caller): void {
    const { limits } = this.#options.context;
    const owner = this.#ownerOf(caller.owner);
    const known = this.#groups.get(owner);
    if (this.#isClosed) this.#fail(message.id, proxyClosing());
    else if (this.size >= limits.maxSubscriptions)
      this.#fail(message.id, subscriptionsExhausted(limits.maxSubscriptions));
    else if (known === undefined && this.#groups.size >= limits.maxSessions)
      this.#fail(message.id, subscriptionsExhausted(limits.maxSessions));
    else {
      const group = known ?? new ListenGroup(this.#options, caller, () => this.#groups.delete(owner));
      this.#groups.set(owner, group);
      void group.add(message);
    }
  }

  cancel(id: MessageId): void {
    for (const group of this.#groups.values()) group.remove(id);
  }

  /** Delivers a notification to the subscriptions of a caller. */
  publish(notification: NotificationMessage, owner: string | undefined): void {
    this.#groups.get(this.#ownerOf(owner))?.publish(notification);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#groups.values()].map((group) => group.close()));
    this.#groups.clear();
  }

  /** All callers are one group when they share a session. */
  #ownerOf(owner: string | undefined): string | undefined {
    return this.#options.shared === undefined ? owner : undefined;
  }

  #fail(id: MessageId, error: PortolanError): void {
    this.#options.deliver(new FailedRequest(error, id), false);
  }
}

/** Subscriptions of one caller, with one inner session. */
class ListenGroup {
  readonly #options: InnerListensOptions;
  readonly #caller: Caller;
  readonly #emptied: () => void;
  readonly #listens = new Map<string, Listen>();
  /** Subscriptions without an acknowledgement. */
  readonly #opening = new Set<string>();
  #session: Promise<InnerSession> | undefined;
  #openedMs = 0;
  #isClosed = false;

  constructor(options: InnerListensOptions, caller: Caller, emptied: () => void) {
    this.#options = options;
    this.#caller = caller;
    this.#emptied = emptied;
  }

  get size(): number {
    return this.#listens.size + this.#opening.size;
  }

  async add(message: RequestMessage): Promise<void> {
    const { id, params } = message;
    const { deliver } = this.#options;
    const notifications = memberOf(params, 'notifications');
    const wanted = isJsonObject(notifications) ? notifications : {};
    this.#opening.add(id.key);
    try {
      const opening = this.#open();
      // List changes need no request to the server, so a client need not wait for the new session.
      const known =
        memberOf(wanted, 'resourceSubscriptions') === undefined ? this.#options.known() : undefined;
      const session = known ?? (await opening);
      if (known !== undefined) opening.catch(() => this.#endAll());
      const listen = await this.#agree(session, id, wanted);
      if (!this.#opening.delete(id.key)) {
        this.#unsubscribe(session, listen.uris);
        return;
      }
      deliver(writeAcknowledgement(listen), false);
      this.#listens.set(id.key, listen);
    } catch (error) {
      if (!this.#opening.delete(id.key)) return;
      const failure = isPortolanError(error) ? error : serverFailedToStart(error);
      deliver(new FailedRequest(failure, id), false);
      this.#closeWhenEmpty();
    }
  }

  remove(id: MessageId): void {
    const listen = this.#listens.get(id.key);
    this.#opening.delete(id.key);
    this.#listens.delete(id.key);
    const session = this.#options.shared === undefined ? this.#session : this.#open();
    if (listen !== undefined && session !== undefined)
      void session.then((opened) => this.#unsubscribe(opened, listen.uris)).catch(() => undefined);
    this.#closeWhenEmpty();
  }

  publish(notification: NotificationMessage): void {
    const { method, params, text } = notification;
    const uri = memberOf(params, 'uri');
    for (const { id, methods, uris } of this.#listens.values()) {
      const isWanted = method === UPDATED ? typeof uri === 'string' && uris.has(uri) : methods.has(method);
      if (!isWanted) continue;
      this.#options.deliver(setMembers(text, ['params', '_meta'], { [META.subscription]: id.text }), true);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listens.clear();
    this.#opening.clear();
    const session = this.#session;
    this.#session = undefined;
    await session?.then((opened) => opened.close(proxyClosing())).catch(() => undefined);
  }

  #open(): Promise<InnerSession> {
    const { shared } = this.#options;
    if (shared !== undefined) return Promise.resolve(shared);
    this.#openedMs = this.#options.context.nowMs();
    this.#session ??= InnerSession.open({
      ...this.#options,
      capabilities: {},
      clientInfo: this.#caller.clientInfo,
      sender: this.#caller.sender,
      notified: (notification) => this.publish(notification),
      freed: () => undefined,
      ended: () => void this.#reopen(),
    });
    return this.#session;
  }

  async #agree(session: InnerSession, id: MessageId, wanted: JsonRecord): Promise<Listen> {
    const lists = LISTS.filter(
      ({ member, area }) => memberOf(wanted, member) === true && session.declares(area, 'listChanged'),
    );
    const uris = session.declares('resources', 'subscribe')
      ? stringsIn(memberOf(wanted, 'resourceSubscriptions'))
      : [];
    const accepted = await Promise.all(uris.map((uri) => this.#subscribe(session, uri)));
    return {
      id,
      methods: new Set(lists.map(({ area }) => `notifications/${area}/list_changed`)),
      uris: new Set(uris.filter((_uri, at) => accepted[at] === true)),
    };
  }

  /** Resolves with whether the server accepted. Subscribing twice is harmless. */
  async #subscribe(session: InnerSession, uri: string): Promise<boolean> {
    const response = await session.ask('resources/subscribe', { uri }, this.#caller.sender);
    if (!response.isError) session.addSubscriber(uri, this);
    return !response.isError;
  }

  #unsubscribe(session: InnerSession, uris: ReadonlySet<string>): void {
    for (const uri of uris) {
      const isWanted = [...this.#listens.values()].some((listen) => listen.uris.has(uri));
      if (!isWanted && session.removeSubscriber(uri, this) && !session.hasEnded)
        session.ask('resources/unsubscribe', { uri }, this.#caller.sender).catch(() => undefined);
    }
  }

  /** Opens a lost session again and subscribes again, unless the last one ended soon. */
  async #reopen(): Promise<void> {
    this.#session = undefined;
    if (this.#isClosed || this.#listens.size === 0) return;
    const livedMs = this.#options.context.nowMs() - this.#openedMs;
    try {
      if (livedMs < REOPEN_AFTER_MS) throw serverFailedToStart(new Error('the session ended at once'));
      const session = await this.#open();
      const uris = new Set([...this.#listens.values()].flatMap((listen) => [...listen.uris]));
      await Promise.all([...uris].map((uri) => this.#subscribe(session, uri)));
    } catch {
      this.#endAll();
    }
  }

  /** Ends all subscriptions, so that their clients subscribe again. */
  #endAll(): void {
    for (const { id } of this.#listens.values())
      this.#options.deliver(writeNotification('notifications/cancelled', `{"requestId":${id.text}}`), false);
    this.#listens.clear();
    this.#closeWhenEmpty();
  }

  #closeWhenEmpty(): void {
    if (this.size > 0 || this.#isClosed) return;
    this.#emptied();
    void this.close();
  }
}

function writeAcknowledgement({ id, methods, uris }: Listen): string {
  const lists = LISTS.filter(({ area }) => methods.has(`notifications/${area}/list_changed`));
  const notifications = {
    ...Object.fromEntries(lists.map(({ member }) => [member, true])),
    ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }),
  };
  const meta = `{${JSON.stringify(META.subscription)}:${id.text}}`;
  return writeNotification(
    'notifications/subscriptions/acknowledged',
    `{"_meta":${meta},"notifications":${JSON.stringify(notifications)}}`,
  );
}
