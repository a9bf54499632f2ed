import {
  isJsonObject,
  type JsonRecord,
  memberOf,
  type Message,
  type MessageId,
  META,
  type NotificationMessage,
  type RequestMessage,
  readId,
  rewriteMessage,
  type RpcError,
  writeError,
  writeResult,
} from '@portolan/mcp-protocol';
import {
  isPortolanError,
  type MessageSender,
  type PortolanError,
  type ReceivedMessage,
} from '@portolan/plugin-api';
import { serverFailedToStart } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import { ClientRequests } from '../client-requests.ts';
import type { EraContext } from '../era-options.ts';
import { isLogLevel, levelOf } from '../../log-levels.ts';
import { LegacyCall } from './legacy-call.ts';
import { LegacySubscriptions, MAX_RESOURCES } from './legacy-subscriptions.ts';
import type { ModernPeer } from './modern-peer.ts';
import { setMembers, textAt } from '../rewrite-members.ts';
import { agreeOn, readDiscovery, writeHandshake } from '../to-legacy.ts';
import { addEnvelope, type Envelope } from '../to-modern.ts';

export interface LegacySessionOptions {
  readonly peer: ModernPeer;
  readonly context: EraContext;
  /** Sends a message to the client. */
  readonly deliver: (message: ReceivedMessage, mayDrop: boolean) => void;
}

type OwnMethod = (message: RequestMessage) => void;

/** Session of one Legacy client with a Modern server. */
export class LegacySession {
  readonly #options: LegacySessionOptions;
  readonly #client: ClientRequests;
  readonly #calls = new Map<string, LegacyCall>();
  readonly #subscriptions: LegacySubscriptions;
  readonly #ownMethods: ReadonlyMap<string, OwnMethod>;
  #capabilities: JsonRecord | undefined;
  #capabilitiesText = '{}';
  #clientInfo: string | undefined;
  #logLevel: string | undefined;
  #serverCapabilities: unknown;

  constructor(options: LegacySessionOptions) {
    const { peer, deliver } = options;
    this.#options = options;
    this.#client = new ClientRequests((text) => deliver(text, false));
    this.#subscriptions = new LegacySubscriptions({
      peer,
      envelope: () => this.#envelopeRecord(),
      deliver: (text) => deliver(text, true),
    });
    this.#ownMethods = new Map<string, OwnMethod>([
      ['initialize', (message) => void this.#greet(message)],
      ['ping', ({ id }) => this.#respond(id, {})],
      ['logging/setLevel', (message) => this.#setLevel(message)],
      ['resources/subscribe', (message) => void this.#subscribe(message)],
      ['resources/unsubscribe', (message) => void this.#unsubscribe(message)],
    ]);
  }

  take(message: Message, sender?: MessageSender): void {
    if (message.kind === 'request') this.#request(message, sender);
    else if (message.kind === 'notification') this.#notify(message);
    else if (!this.#client.respond(message)) this.#options.context.counts.droppedClientAnswers += 1;
  }

  close(): void {
    for (const call of this.#calls.values()) call.cancel();
    this.#calls.clear();
    this.#client.close();
    this.#subscriptions.close();
  }

  #request(message: RequestMessage, sender: MessageSender | undefined): void {
    const own = this.#ownMethods.get(message.method);
    if (own === undefined) this.#call(message, sender);
    else own(message);
  }

  #call(message: RequestMessage, sender: MessageSender | undefined): void {
    const { peer, context, deliver } = this.#options;
    const { key } = message.id;
    const call = new LegacyCall({
      request: addEnvelope(message, this.#envelope()),
      peer,
      client: this.#client,
      capabilities: this.#capabilities,
      logLevel: levelOf(this.#logLevel),
      maxRounds: context.limits.maxRounds,
      sender,
      deliver,
      respond: (response) => {
        if (this.#calls.get(key) === call) this.#calls.delete(key);
        deliver(response, false);
      },
    });
    this.#calls.set(key, call);
    call.begin();
  }

  #notify({ method, text }: NotificationMessage): void {
    if (method === 'notifications/initialized') this.#subscriptions.followLists(this.#serverCapabilities);
    if (method !== 'notifications/cancelled') return;
    const id = readId(textAt(text, ['params', 'requestId']) ?? '');
    const call = id === undefined ? undefined : this.#calls.get(id.key);
    if (id === undefined || call === undefined) return;
    this.#calls.delete(id.key);
    call.cancel();
  }

  async #greet(message: RequestMessage): Promise<void> {
    const { params, text, id } = message;
    const { peer, deliver } = this.#options;
    const capabilities = memberOf(params, 'capabilities');
    this.#capabilities = isJsonObject(capabilities) ? capabilities : {};
    this.#capabilitiesText = isJsonObject(capabilities) ? modernCapabilities(text) : '{}';
    this.#clientInfo = textAt(text, ['params', 'clientInfo']);
    try {
      const discovery = await peer.discover();
      if (discovery.isError) {
        deliver(rewriteMessage(discovery.text, [{ path: ['id'], by: id.text }]), false);
        return;
      }
      const { result } = discovery;
      this.#serverCapabilities = isJsonObject(result) ? memberOf(result, 'capabilities') : undefined;
      const revision = agreeOn(memberOf(params, 'protocolVersion'));
      deliver(writeHandshake(message, { ...readDiscovery(discovery), revision }), false);
    } catch (error) {
      this.#fail(id, isPortolanError(error) ? error : serverFailedToStart(error));
    }
  }

  #setLevel({ id, params }: RequestMessage): void {
    const level = memberOf(params, 'level');
    if (!isLogLevel(level)) {
      this.#refuse(id, { code: -32602, message: 'Unknown log level' });
      return;
    }
    this.#logLevel = level;
    this.#respond(id, {});
  }

  async #subscribe({ id, params }: RequestMessage): Promise<void> {
    const uri = String(memberOf(params, 'uri'));
    if (this.#subscriptions.size >= MAX_RESOURCES) {
      this.#refuse(id, { code: -32603, message: `Subscription limit reached: ${MAX_RESOURCES} are open.` });
    } else if (await this.#subscriptions.subscribe(uri)) this.#respond(id, {});
    else this.#refuse(id, { code: -32602, message: 'The server sends no updates of this resource.' });
  }

  async #unsubscribe({ id, params }: RequestMessage): Promise<void> {
    await this.#subscriptions.unsubscribe(String(memberOf(params, 'uri')));
    this.#respond(id, {});
  }

  #envelope(): Envelope {
    return {
      revision: this.#options.peer.revision,
      capabilities: this.#capabilitiesText,
      clientInfo: this.#clientInfo,
      logLevel: this.#logLevel === undefined ? undefined : JSON.stringify(this.#logLevel),
    };
  }

  #envelopeRecord(): JsonRecord {
    const { revision, capabilities, clientInfo } = this.#envelope();
    return {
      [META.claim]: revision,
      [META.capabilities]: JSON.parse(capabilities) as unknown,
      ...(clientInfo === undefined ? {} : { [META.clientInfo]: JSON.parse(clientInfo) as unknown }),
    };
  }

  #respond(id: MessageId, result: unknown): void {
    this.#options.deliver(writeResult(id, result), false);
  }

  #refuse(id: MessageId, error: RpcError): void {
    this.#options.deliver(writeError(id, error), false);
  }

  #fail(id: MessageId, error: PortolanError): void {
    this.#options.deliver(new FailedRequest(error, id), false);
  }
}

/** Returns the client's capabilities as JSON text, without tasks, which differ from those of the Modern extension. */
function modernCapabilities(text: string): string {
  return setMembers(textAt(text, ['params', 'capabilities']) ?? '{}', [], { tasks: undefined });
}
