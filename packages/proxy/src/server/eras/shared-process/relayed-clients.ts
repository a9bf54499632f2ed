import {
  type Message,
  memberOf,
  META,
  type NotificationMessage,
  readId,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
} from '@portolan/mcp-protocol';
import {
  isPortolanError,
  type MessageSender,
  type PortolanError,
  type ReceivedMessage,
} from '@portolan/plugin-api';
import { serverExited } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import { wantedLevel } from '../../log-levels.ts';
import type { ModernPeer } from '../legacy-clients/modern-peer.ts';
import type { InnerSession } from '../modern-clients/inner-session.ts';
import { setMembers, textAt } from '../rewrite-members.ts';
import { agreeOn } from '../to-legacy.ts';

type Deliver = (message: ReceivedMessage, mayDrop: boolean) => void;

const LISTEN = 'subscriptions/listen';

/** Passes messages of clients to the only process, under new ids. */
abstract class RelayedClients {
  protected readonly deliver: Deliver;
  readonly #cancels = new Map<string, () => void>();

  constructor(deliver: Deliver) {
    this.deliver = deliver;
  }

  take(message: Message, sender: MessageSender | undefined): void {
    if (message.kind === 'request') this.#request(message, sender);
    else if (message.kind === 'notification') this.#notify(message);
  }

  close(): void {
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }

  /** Sends a request and returns a function that cancels it. */
  protected abstract begin(message: RequestMessage, sender: MessageSender | undefined): () => void;

  protected settle(message: RequestMessage, response: ReceivedMessage): void {
    this.#cancels.delete(message.id.key);
    this.deliver(response, false);
  }

  protected receiverOf(message: RequestMessage) {
    return {
      answered: ({ text }: ResponseMessage) => this.settle(message, text),
      progressed: (text: string) => this.deliver(text, true),
      failed: (error: PortolanError) => {
        if (this.#cancels.has(message.id.key)) this.settle(message, new FailedRequest(error, message.id));
      },
    };
  }

  #request(message: RequestMessage, sender: MessageSender | undefined): void {
    this.#cancels.set(message.id.key, () => undefined);
    try {
      const cancel = this.begin(message, sender);
      if (this.#cancels.has(message.id.key)) this.#cancels.set(message.id.key, cancel);
    } catch (error) {
      const failure = isPortolanError(error) ? error : serverExited(error);
      this.settle(message, new FailedRequest(failure, message.id));
    }
  }

  #notify({ method, text }: NotificationMessage): void {
    if (method !== 'notifications/cancelled') return;
    const id = readId(textAt(text, ['params', 'requestId']) ?? '');
    const cancel = id === undefined ? undefined : this.#cancels.get(id.key);
    if (id === undefined || cancel === undefined) return;
    this.#cancels.delete(id.key);
    cancel();
  }
}

/** Legacy clients of a Legacy process. The process has one handshake, without capabilities. */
export class RelayedLegacyClients extends RelayedClients {
  readonly #session: InnerSession;

  constructor(session: InnerSession, deliver: Deliver) {
    super(deliver);
    this.#session = session;
  }

  protected override begin(message: RequestMessage, sender: MessageSender | undefined): () => void {
    const uri = String(memberOf(message.params, 'uri'));
    if (message.method === 'initialize') {
      this.settle(message, this.#greet(message));
      return () => undefined;
    }
    if (message.method === 'resources/subscribe') this.#session.addSubscriber(uri, this);
    if (message.method === 'resources/unsubscribe' && !this.#session.removeSubscriber(uri, this)) {
      this.settle(message, `{"jsonrpc":"2.0","id":${message.id.text},"result":{}}`);
      return () => undefined;
    }
    const ignored = { requested: ignore, withdrawn: ignore, logged: ignore };
    const call = this.#session.begin(message, { ...this.receiverOf(message), ...ignored }, sender);
    return () => call.cancel();
  }

  #greet({ id, params }: RequestMessage): string {
    const { handshake, revision } = this.#session;
    const requested = agreeOn(memberOf(params, 'protocolVersion'));
    const agreed = requested <= revision ? requested : revision;
    return rewriteMessage(handshake.text, [
      { path: ['id'], by: id.text },
      { path: ['result', 'protocolVersion'], by: JSON.stringify(agreed) },
    ]);
  }
}

/** Modern clients of a Modern process that Legacy clients share. */
export class RelayedModernClients extends RelayedClients {
  readonly #peer: ModernPeer;

  constructor(peer: ModernPeer, deliver: Deliver) {
    super(deliver);
    this.#peer = peer;
  }

  protected override begin(message: RequestMessage, sender: MessageSender | undefined): () => void {
    if (message.method === LISTEN) return this.#listen(message, sender);
    const logged = ({ text }: NotificationMessage): void => this.deliver(text, true);
    const receiver = { ...this.receiverOf(message), logLevel: wantedLevel(message), logged };
    const request = this.#peer.request(message, receiver, sender);
    return () => this.#peer.cancel(request);
  }

  #listen(message: RequestMessage, sender: MessageSender | undefined): () => void {
    const { text: id } = message.id;
    const tag = { [META.subscription]: id };
    return this.#peer.listen(
      message,
      {
        notified: ({ text }) => this.deliver(setMembers(text, ['params', '_meta'], tag), true),
        ended: () =>
          this.settle(
            message,
            `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","_meta":${JSON.stringify({ [META.subscription]: JSON.parse(id) as unknown })}}}`,
          ),
      },
      sender,
    );
  }
}

function ignore(): void {
  // The only process has no client of its own, so nothing can be sent to one.
}
