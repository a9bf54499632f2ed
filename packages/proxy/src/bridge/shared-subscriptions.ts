import { type RequestMessage, writeResult } from '@portolan/mcp-protocol';
import { isPortolanError, type Logger } from '@portolan/plugin-api';
import { sessionUnknown } from '../errors/session-errors.ts';
import type { ServerLink } from '../server/server-link.ts';
import type { Reply } from './reply.ts';
import { Subscriptions } from './subscriptions.ts';

const SUBSCRIBE = 'resources/subscribe';
const UNSUBSCRIBE = 'resources/unsubscribe';

export function isSubscription({ method }: RequestMessage): boolean {
  return method === SUBSCRIBE || method === UNSUBSCRIBE;
}

interface SharedSubscriptionsOptions<Session> {
  readonly forward: (
    session: Session,
    message: RequestMessage,
    reply: Reply,
    settled: (succeeded: boolean) => void,
  ) => void;
  readonly link: () => ServerLink | undefined;
  readonly logger: Logger;
}

export interface SubscriptionChange<Session> {
  readonly session: Session;
  readonly uri: string;
  readonly message: RequestMessage;
  readonly reply: Reply;
}

/**
 * Subscriptions of all sessions on one process. For each resource, the server gets one `resources/subscribe`
 * for the first session, and one `resources/unsubscribe` after the last.
 */
export class SharedSubscriptions<Session extends { readonly hasEnded: boolean }> {
  readonly #options: SharedSubscriptionsOptions<Session>;
  readonly #subscriptions = new Subscriptions<Session>();

  constructor(options: SharedSubscriptionsOptions<Session>) {
    this.#options = options;
  }

  of(uri: string): Iterable<Session> {
    return this.#subscriptions.of(uri);
  }

  clear(): void {
    this.#subscriptions.clear();
  }

  change(change: SubscriptionChange<Session>): void {
    this.#subscriptions.inTurn(change.uri, () => this.#change(change));
  }

  end(session: Session): void {
    for (const uri of this.#subscriptions.urisOf(session)) {
      this.#subscriptions.inTurn(uri, async () => this.#leave(session, uri));
    }
  }

  async #change({ session, uri, message, reply }: SubscriptionChange<Session>): Promise<void> {
    const subscribes = message.method === SUBSCRIBE;
    const reachesServer = this.#subscriptions.isAlone(uri, session);
    const change = (): void => {
      if (subscribes) this.#subscriptions.add(uri, session);
      else this.#subscriptions.remove(uri, session);
      // The session may end while this request is queued.
      if (session.hasEnded) this.#leave(session, uri);
    };
    if (!reachesServer) {
      change();
      const text = writeResult(message.id, {});
      const { id } = message;
      reply.respond({ kind: 'response', text, id, result: {}, errorCode: undefined, isError: false });
      return;
    }
    await new Promise<void>((resolve) => {
      const settled = (succeeded: boolean): void => {
        if (succeeded) change();
        resolve();
      };
      try {
        this.#options.forward(session, message, reply, settled);
      } catch (error) {
        settled(false);
        reply.fail(isPortolanError(error) ? error : sessionUnknown(), message.id);
      }
    });
  }

  /**
   * Ends a session's subscription. Unsubscribes at the server when no other session subscribes to the
   * resource.
   */
  #leave(session: Session, uri: string): void {
    const wasLast = this.#subscriptions.has(uri, session) && this.#subscriptions.isAlone(uri, session);
    this.#subscriptions.remove(uri, session);
    const link = this.#options.link();
    if (!wasLast || link === undefined) return;
    const params = { uri };
    const text = `{"jsonrpc":"2.0","id":0,"method":"${UNSUBSCRIBE}","params":${JSON.stringify(params)}}`;
    try {
      link.request(
        { kind: 'request', text, id: { text: '0', key: 'n0' }, method: UNSUBSCRIBE, params },
        { answered: () => undefined, progressed: () => undefined, failed: () => undefined },
      );
    } catch (error) {
      this.#options.logger.debug({ err: error }, 'could not unsubscribe at the server');
    }
  }
}
