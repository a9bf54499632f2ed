import {
  DISCOVER,
  narrowDiscovery,
  findAnsweredId,
  type MessageId,
  type RequestMessage,
  type ResponseMessage,
  parseServerMessage,
  TOO_MANY_VALUES,
  rewriteMessage,
} from '@portolan/mcp-protocol';
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import type { ClientExchange, PortolanError } from '@portolan/plugin-api';
import { requestIdInUse, serverMessageUnreadable, toRefusal } from '../../policy/policy-errors.ts';
import { answerTooLarge } from '../../errors/server-errors.ts';
import { judgeResponse, type JudgedResponse } from '../../policy/judge-response.ts';
import type { Policy } from '../../policy/policy.ts';
import { LARGE_MESSAGE } from '../../request/turn.ts';
import type { Exchanges } from '../sessions/pending-exchanges.ts';

export interface ResponseScopeOptions {
  readonly policy: Policy;
  readonly unasked: ClientExchange;
  readonly pending: Exchanges;
  readonly refuseServer: (request: RequestMessage, why: PortolanError) => void;
  /**
   * Returns whether the client has disconnected. If so, the same messages may arrive again on a resumed
   * stream.
   */
  readonly isGone: () => boolean;
}

export type JudgedText =
  | { readonly text: string; readonly id: MessageId | undefined }
  | { readonly refused: PortolanError; readonly id: MessageId }
  | { readonly dropped: string };

/**
 * HTTP+SSE requests that failed with an error of the proxy. Their ids stay in use until the server responds,
 * and that response is dropped.
 */
const FAILED = new WeakSet<ClientExchange>();

export class ResponseScope {
  readonly #options: ResponseScopeOptions;
  readonly #exchanges = new Map<string, ClientExchange>();
  /**
   * Session for which responses may also arrive on this stream. For HTTP+SSE, it is the session of the
   * stream.
   */
  session: string | undefined;

  constructor(options: ResponseScopeOptions, session: string | undefined) {
    this.#options = options;
    this.session = session;
  }

  get awaited(): number {
    return this.#exchanges.size;
  }

  /**
   * Records a pending request. Throws ERR_REQUEST_ID_IN_USE when the id is pending, because the two responses
   * would be indistinguishable.
   */
  ask(id: MessageId, exchange: ClientExchange): undefined | Promise<void> {
    const isNew = this.session === undefined || this.#options.pending.add(this.session, id.key, exchange);
    const note = (isFree: boolean): undefined => {
      if (!isFree) throw requestIdInUse(id);
      this.#exchanges.set(id.key, exchange);
    };
    return isNew instanceof Promise ? isNew.then(note) : note(isNew);
  }

  begin(id: MessageId, sessionId: string): void {
    const exchange = this.#exchanges.get(id.key);
    if (exchange !== undefined) this.#exchanges.set(id.key, { ...exchange, sessionId });
  }

  giveUp(): void {
    for (const key of this.#exchanges.keys()) {
      if (this.session !== undefined) this.#options.pending.drop(this.session, key);
    }
    this.#exchanges.clear();
  }

  /**
   * Records that the client gets an error for the request, so that a later response of the server is dropped.
   */
  fail(): void {
    for (const exchange of this.#exchanges.values()) FAILED.add(exchange);
  }

  recall(text: string): unknown {
    return this.#options.policy.lists.recall(text);
  }

  /**
   * Lets policies read one text of the server. Returns a promise only for a response with an asynchronous
   * policy; the promise never rejects. `value` is the parsed text.
   */
  judge(text: string, value?: unknown): JudgedText | Promise<JudgedText> {
    const { policy, unasked, refuseServer } = this.#options;
    const known = value ?? policy.lists.recall(text);
    const message = parseServerMessage(text, known, policy.lists.knows(known));
    if (message === TOO_MANY_VALUES) return this.#refuse(findAnsweredId(text), message, answerTooLarge());
    if (typeof message === 'string')
      return this.#refuse(findAnsweredId(text), message, serverMessageUnreadable(message, undefined));
    if (message.kind === 'response') {
      const exchange = this.#take(message.id);
      if (text.length >= LARGE_MESSAGE) return this.#judgeInNextTurn(message, exchange);
      if (!(exchange instanceof Promise)) return this.#judgeResponse(message, exchange);
      return exchange.then(
        (clientExchange) => this.#judgeResponse(message, clientExchange),
        (error: unknown) => ({ refused: toRefusal(error, message.id, policy.logger), id: message.id }),
      );
    }
    const judged = judgeResponse(policy, message, unasked);
    if ('message' in judged) return { text: judged.message.text, id: undefined };
    if (message.kind === 'request') refuseServer(message, judged.refused);
    return { dropped: 'it was refused' };
  }

  async #judgeInNextTurn(
    message: ResponseMessage,
    request: ClientExchange | undefined | Promise<ClientExchange | undefined>,
  ): Promise<JudgedText> {
    try {
      const exchange = await request;
      await afterOtherWork();
      return await this.#judgeResponse(message, exchange);
    } catch (error) {
      return { refused: toRefusal(error, message.id, this.#options.policy.logger), id: message.id };
    }
  }

  /**
   * Handles a text that is not valid: refuses the response to a pending request, and drops any other text.
   */
  #refuse(
    id: MessageId | undefined,
    fault: string,
    refusal: PortolanError,
  ): JudgedText | Promise<JudgedText> {
    if (id === undefined) return { dropped: fault };
    const refused = (exchange: ClientExchange | undefined): JudgedText =>
      exchange === undefined ? { dropped: 'no pending request has its id' } : { refused: refusal, id };
    const exchange = this.#take(id);
    if (!(exchange instanceof Promise)) return refused(exchange);
    return exchange.then(refused, (error: unknown) => ({
      refused: toRefusal(error, id, this.#options.policy.logger),
      id,
    }));
  }

  #judgeResponse(
    received: ResponseMessage,
    exchange: ClientExchange | undefined,
  ): JudgedText | Promise<JudgedText> {
    if (exchange === undefined) return { dropped: 'no pending request has its id' };
    if (FAILED.has(exchange)) return { dropped: 'its request already got an error' };
    const response = ownDiscovery(withAskedId(received, exchange), exchange);
    const judged = judgeResponse(this.#options.policy, response, exchange);
    return judged instanceof Promise
      ? judged.then((later) => withId(later, response.id))
      : withId(judged, response.id);
  }

  /**
   * Returns the pending request with this id and removes it, so that only the first response counts on any
   * stream.
   */
  #take(id: MessageId): ClientExchange | undefined | Promise<ClientExchange | undefined> {
    const { pending, unasked, isGone } = this.#options;
    const own = this.#exchanges.get(id.key);
    this.#exchanges.delete(id.key);
    if (this.session === undefined) return own;
    if (own === undefined) return pending.take(this.session, id.key, unasked);
    if (!isGone()) pending.drop(this.session, id.key);
    return own;
  }
}

/** Removes versions from a `server/discover` result that the proxy does not forward. */
function ownDiscovery(response: ResponseMessage, { message }: ClientExchange): ResponseMessage {
  return message?.kind === 'request' && message.method === DISCOVER ? narrowDiscovery(response) : response;
}

function withId(judged: JudgedResponse, id: MessageId): JudgedText {
  return 'message' in judged ? { text: judged.message.text, id } : { refused: judged.refused, id };
}

/**
 * Replaces the id of a response with the client's spelling, because a server may print a number differently.
 */
function withAskedId(response: ResponseMessage, { message }: ClientExchange): ResponseMessage {
  if (message?.kind !== 'request' || message.id === response.id.text) return response;
  const text = rewriteMessage(response.text, [{ path: ['id'], by: message.id }]);
  return { ...response, text, id: { ...response.id, text: message.id } };
}
