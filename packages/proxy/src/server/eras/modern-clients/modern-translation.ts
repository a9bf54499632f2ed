import {
  memberOf,
  type Message,
  type MessageId,
  MODERN_REVISIONS,
  type NotificationMessage,
  readId,
  type RequestMessage,
  writeError,
} from '@portolan/mcp-protocol';
import type { MessageSender, ReceivedMessage } from '@portolan/plugin-api';
import { FailedRequest } from '../../failed-request.ts';
import { type Caller, readCaller } from './caller.ts';
import type { EraContext } from '../era-options.ts';
import { InnerListens } from './inner-listens.ts';
import type { InnerSession } from './inner-session.ts';
import { InnerSessions, OneSession, type SessionSource } from './inner-sessions.ts';
import { ModernCall } from './modern-call.ts';
import { ParkedCalls } from './parked-calls.ts';
import { textAt } from '../rewrite-members.ts';
import type { ServerEras } from '../server-eras.ts';
import { writeDiscovery } from '../to-modern.ts';

/** Methods that only Legacy revisions have, and notifications that Modern clients send as requests. */
const REMOVED = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/cancel',
]);

const LOST =
  'This call cannot continue: it has expired, or another process has begun it. Start the call again.';

export interface ModernTranslationOptions {
  readonly eras: ServerEras;
  readonly context: EraContext;
  readonly deliver: (message: ReceivedMessage, mayDrop: boolean) => void;
  /** Session that all clients share. Default: sessions for each caller. */
  readonly shared?: InnerSession;
}

/** Serves all Modern clients from a Legacy server. */
export class ModernTranslation {
  readonly #options: ModernTranslationOptions;
  readonly #sessions: SessionSource;
  readonly #listens: InnerListens;
  readonly #parked: ParkedCalls;
  /** Calls that a client waits for, by the id of its latest request. */
  readonly #calls = new Map<string, ModernCall>();
  readonly #discoveries = new Map<string, () => void>();

  constructor(options: ModernTranslationOptions) {
    const { context, shared } = options;
    this.#options = options;
    this.#listens = new InnerListens({ ...options, shared, known: () => this.#sessions.known });
    this.#sessions =
      shared === undefined
        ? new InnerSessions({
            ...options,
            notified: (notification, { owner }) => this.#listens.publish(notification, owner),
          })
        : new OneSession(shared);
    this.#parked = new ParkedCalls(context);
  }

  take(message: Message, sender: MessageSender | undefined): void {
    if (message.kind === 'request') this.#request(message, sender);
    else if (message.kind === 'notification') this.#notify(message);
    else this.#options.context.counts.droppedClientAnswers += 1;
  }

  /** Delivers a notification of the shared session. */
  publish(notification: NotificationMessage): void {
    this.#listens.publish(notification, undefined);
  }

  async close(): Promise<void> {
    this.#parked.close();
    for (const call of this.#calls.values()) call.cancel();
    await Promise.all([this.#sessions.close(), this.#listens.close()]);
  }

  #request(message: RequestMessage, sender: MessageSender | undefined): void {
    const { method, params } = message;
    const caller = readCaller(message, sender);
    const state = memberOf(params, 'requestState');
    if (method === 'server/discover') this.#discover(message.id, caller);
    else if (method === 'subscriptions/listen') this.#listens.open(message, caller);
    else if (REMOVED.has(method)) this.#refuse(message.id, -32601, `Method not found: ${method}`);
    else if (typeof state === 'string') this.#resume(message, state, sender);
    else this.#begin(message, caller, 0);
  }

  #begin(message: RequestMessage, caller: Caller, urlRounds: number): void {
    new ModernCall({
      message,
      caller,
      urlRounds,
      sessions: this.#sessions,
      parked: this.#parked,
      maxRounds: this.#options.context.limits.maxRounds,
      deliver: this.#options.deliver,
      awaited: (id, call) => {
        if (call === undefined) this.#calls.delete(id.key);
        else this.#calls.set(id.key, call);
      },
      again: (retry, sender, rounds) => this.#begin(retry, readCaller(retry, sender), rounds),
    }).begin();
  }

  #resume(retry: RequestMessage, state: string, sender: MessageSender | undefined): void {
    const call = this.#parked.find(state, sender?.owner);
    if (call === undefined) this.#refuse(retry.id, -32603, LOST);
    else if (call.matches(retry)) call.resume(retry, sender);
    else this.#refuse(retry.id, -32602, 'The "requestState" belongs to another request.');
  }

  #discover(id: MessageId, caller: Caller): void {
    const { deliver } = this.#options;
    const { known } = this.#sessions;
    if (known !== undefined) {
      deliver(writeDiscovery(id, known.handshake, MODERN_REVISIONS), false);
      return;
    }
    const settle = (response: ReceivedMessage): void => {
      if (this.#discoveries.delete(id.key)) deliver(response, false);
    };
    this.#discoveries.set(id.key, () => undefined);
    const withdraw = this.#sessions.serve({
      caller,
      use: (session) => settle(writeDiscovery(id, session.handshake, MODERN_REVISIONS)),
      failed: (error) => settle(new FailedRequest(error, id)),
    });
    if (this.#discoveries.has(id.key)) this.#discoveries.set(id.key, withdraw);
  }

  #notify({ method, text }: NotificationMessage): void {
    if (method !== 'notifications/cancelled') return;
    const id = readId(textAt(text, ['params', 'requestId']) ?? '');
    if (id === undefined) return;
    this.#calls.get(id.key)?.cancel();
    this.#listens.cancel(id);
    this.#discoveries.get(id.key)?.();
    this.#discoveries.delete(id.key);
  }

  #refuse(id: MessageId, code: number, message: string): void {
    this.#options.deliver(writeError(id, { code, message }), false);
  }
}
