import {
  type JsonRecord,
  memberOf,
  type MessageId,
  META,
  metaOf,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
  writeError,
} from '@portolan/mcp-protocol';
import {
  isPortolanError,
  type MessageSender,
  type PortolanError,
  type ReceivedMessage,
} from '@portolan/plugin-api';
import { serverExited } from '../../../errors/server-errors.ts';
import { FailedRequest } from '../../failed-request.ts';
import { markRequest } from '../../request-mark.ts';
import type { Caller } from './caller.ts';
import { findMissing, type InputRequest, isInputMethod, takesInput } from '../client-requests.ts';
import type { InnerCall, InnerReceiver, InnerSession } from './inner-session.ts';
import type { SessionSource } from './inner-sessions.ts';
import { levelOfLog, wantedLevel } from '../../log-levels.ts';
import type { ParkedCall, ParkedCalls } from './parked-calls.ts';
import { textAt } from '../rewrite-members.ts';
import { removeEnvelope } from '../to-legacy.ts';
import { toModernResponse } from '../to-modern.ts';
import { readUrlRequests, UrlRound, writeInputRequired } from './url-rounds.ts';

/**
 * Milliseconds after a request of the server in which its further requests join the same round. A server that sends
 * several at once may write them in several pieces.
 */
const GATHER_MS = 30;

export interface ModernCallOptions {
  readonly message: RequestMessage;
  readonly caller: Caller;
  readonly sessions: Pick<SessionSource, 'serve'>;
  readonly parked: ParkedCalls;
  readonly maxRounds: number;
  /** Number of rounds with URL elicitations before this call. */
  readonly urlRounds: number;
  readonly deliver: (message: ReceivedMessage, mayDrop: boolean) => void;
  /** Called when the client waits for this call again, or no longer. */
  readonly awaited: (id: MessageId, call: ModernCall | undefined) => void;
  /** Starts the call of a retry after URL elicitations. */
  readonly again: (retry: RequestMessage, sender: MessageSender | undefined, urlRounds: number) => void;
}

interface PendingInput extends InputRequest {
  readonly id: MessageId;
  readonly key: string;
}

/** Request of a Modern client to a Legacy server. Requests of the server park the call until the client retries. */
export class ModernCall implements InnerReceiver, ParkedCall {
  readonly #options: ModernCallOptions;
  /** Request that the client waits for: the first one, or a retry. Undefined while the call is parked. */
  #current: RequestMessage | undefined;
  #inner: InnerCall | undefined;
  #withdraw: () => void = () => undefined;
  #inputs: readonly PendingInput[] = [];
  #lastInput = 0;
  #parking: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(options: ModernCallOptions) {
    this.#options = options;
    this.#current = options.message;
  }

  get owner(): string | undefined {
    return this.#options.caller.owner;
  }

  begin(): void {
    const { caller, sessions, message, awaited } = this.#options;
    awaited(message.id, this);
    this.#withdraw = sessions.serve({
      caller,
      use: (session) => this.#start(session),
      failed: (error) => this.#end(new FailedRequest(error, message.id)),
    });
  }

  /** Cancels the call, because the client no longer waits for it. */
  cancel(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#withdraw();
    this.#refuseInputs('The client cancelled its request.');
    this.#inner?.cancel();
  }

  answered(response: ResponseMessage): void {
    if (this.#isOver) return;
    const { message, caller } = this.#options;
    const urls = readUrlRequests(response);
    if (urls !== undefined && this.#current !== undefined) {
      const missing = findMissing(
        urls[0] ?? { method: 'elicitation/create', params: '{"mode":"url"}' },
        caller.capabilities,
      );
      if (missing === undefined) this.#parkUrls(urls);
      else this.#endWithMissing(missing);
      return;
    }
    const id = this.#current?.id ?? message.id;
    const { text } = toModernResponse(message.method, response);
    this.#end(id === message.id ? text : rewriteMessage(text, [{ path: ['id'], by: id.text }]));
  }

  progressed(text: string): void {
    const current = this.#current;
    if (current === undefined || this.#isOver) return;
    if (current === this.#options.message) {
      this.#options.deliver(text, true);
      return;
    }
    const by = textAt(current.text, ['params', '_meta', 'progressToken']);
    if (by === undefined) return;
    this.#options.deliver(rewriteMessage(text, [{ path: ['params', 'progressToken'], by }]), true);
  }

  logged(notification: NotificationMessage): void {
    const current = this.#current;
    const wanted = current === undefined ? undefined : wantedLevel(current);
    if (current !== undefined && wanted !== undefined && wanted <= levelOfLog(notification))
      this.#options.deliver(markRequest(notification, current.id), true);
  }

  failed(error: PortolanError): void {
    this.#end(new FailedRequest(error, this.#current?.id ?? this.#options.message.id));
  }

  requested({ id, method, text }: RequestMessage): void {
    const { caller, message } = this.#options;
    const request = { method, params: textAt(text, ['params']) };
    if (!takesInput(message.method)) {
      this.#inner?.session.refuse(id, `The client cannot respond during ${message.method}.`);
      return;
    }
    if (!isInputMethod(method)) {
      this.#inner?.session.refuse(id, 'The client does not support this method.');
      return;
    }
    const missing = findMissing(request, caller.capabilities);
    if (missing !== undefined) {
      this.#inner?.session.refuse(id, 'The client did not declare the capability for this method.');
      this.#endWithMissing(missing);
      return;
    }
    this.#lastInput += 1;
    this.#inputs = [...this.#inputs, { ...request, id, key: `input-${this.#lastInput}` }];
    this.#parkSoon();
  }

  withdrawn(id: MessageId): void {
    this.#inputs = this.#inputs.filter((input) => input.id.key !== id.key);
  }

  matches(retry: RequestMessage): boolean {
    return isSameTarget(this.#options.message, retry);
  }

  /** Continues the call with the responses in a retry. */
  resume(retry: RequestMessage, sender: MessageSender | undefined): void {
    this.#options.parked.forget(this);
    this.#current = retry;
    this.#options.awaited(retry.id, this);
    const session = this.#inner?.session;
    session?.setLogLevel(memberOf(metaOf(retry.params), META.logLevel));
    this.#inner?.resume();
    const left: PendingInput[] = [];
    for (const input of this.#inputs) {
      const result = textAt(retry.text, ['params', 'inputResponses', input.key]);
      if (result === undefined) left.push(input);
      else session?.tell(`{"jsonrpc":"2.0","id":${input.id.text},"result":${result}}`, sender);
    }
    this.#inputs = left;
    if (left.length > 0) this.#parkSoon();
  }

  expire(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#refuseInputs('The client did not respond in time.');
    this.#inner?.cancel();
  }

  #start(session: InnerSession): void {
    const { message, caller } = this.#options;
    if (this.#isOver) return;
    try {
      session.setLogLevel(memberOf(metaOf(message.params), META.logLevel));
      this.#inner = session.begin(removeEnvelope(message), this, caller.sender);
    } catch (error) {
      this.#end(new FailedRequest(isPortolanError(error) ? error : serverExited(error), message.id));
    }
  }

  /** Parks the call after all requests that the server sent at the same time. */
  #parkSoon(): void {
    this.#parking ??= setTimeout(() => {
      this.#parking = undefined;
      this.#park();
    }, GATHER_MS);
  }

  #park(): void {
    const current = this.#current;
    if (this.#isOver || current === undefined || this.#inputs.length === 0) return;
    this.#inner?.park();
    this.#current = undefined;
    this.#options.awaited(current.id, undefined);
    const state = this.#options.parked.park(this);
    const requests = new Map(this.#inputs.map((input) => [input.key, input]));
    this.#options.deliver(writeInputRequired(current.id, requests, state), false);
  }

  #parkUrls(urls: readonly InputRequest[]): void {
    const { message, caller, parked, again, urlRounds, maxRounds, deliver } = this.#options;
    const { id } = this.#current ?? message;
    if (urlRounds >= maxRounds) {
      const fault = `The server requested more than ${maxRounds} addresses for one call.`;
      this.#end(writeError(id, { code: -32603, message: fault }));
      return;
    }
    this.#finish();
    const round = new UrlRound({
      owner: caller.owner,
      count: urls.length,
      matches: (retry) => isSameTarget(message, retry),
      resumed: (retry, sender) => {
        parked.forget(round);
        again(retry, sender, urlRounds + 1);
      },
      refused: (retry) => {
        parked.forget(round);
        deliver(writeError(retry.id, { code: -32603, message: 'The user did not open the address.' }), false);
      },
    });
    deliver(
      writeInputRequired(id, new Map(urls.map((url, at) => [`url-${at + 1}`, url])), parked.park(round)),
      false,
    );
  }

  #endWithMissing(requiredCapabilities: JsonRecord): void {
    const message = 'The server needs a client capability that the request does not declare.';
    const id = this.#current?.id ?? this.#options.message.id;
    const inner = this.#inner;
    this.#end(writeError(id, { code: -32021, message, data: { requiredCapabilities } }));
    inner?.cancel();
  }

  #refuseInputs(message: string): void {
    const inputs = this.#inputs;
    this.#inputs = [];
    for (const { id } of inputs) this.#inner?.session.refuse(id, message, -32603);
  }

  #end(response: ReceivedMessage): void {
    if (this.#isOver) return;
    const isAwaited = this.#current !== undefined;
    this.#finish();
    this.#refuseInputs('The request that caused this one has ended.');
    if (isAwaited) this.#options.deliver(response, false);
  }

  #finish(): void {
    const { awaited, parked } = this.#options;
    this.#isOver = true;
    clearTimeout(this.#parking);
    if (this.#current === undefined) parked.forget(this);
    else awaited(this.#current.id, undefined);
  }
}

function isSameTarget(first: RequestMessage, retry: RequestMessage): boolean {
  const same = (name: string): boolean => memberOf(first.params, name) === memberOf(retry.params, name);
  return first.method === retry.method && same('name') && same('uri');
}
