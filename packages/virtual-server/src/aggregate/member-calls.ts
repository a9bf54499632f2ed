import {
  findValue,
  INTERNAL_ERROR,
  type MessageId,
  type NotificationMessage,
  readId,
  type RequestMessage,
  type ResponseMessage,
  TransientMap,
  writeError,
} from '@portolan/mcp-protocol';
import { readHttpFault } from '@portolan/mcp-client';
import type { MessageSender, PortolanError } from '@portolan/plugin-api';
import type { ServerLink, ServerRequest } from '@portolan/proxy/server-link';
import type { Member } from '../members/member.ts';
import type { MemberLinks } from '../members/member-links.ts';
import type { TaskIds } from '../sealing/task-ids.ts';
import type { ConnectionParts, WriteMessage } from './era-connection.ts';
import { describeFailure, shownFault } from './member-failures.ts';

export interface MemberCall {
  readonly member: Member;
  /** Request as the member gets it, with the id of the client. */
  readonly message: RequestMessage;
  readonly sender: MessageSender | undefined;
  /** Returns the response for the client. Default: the response of the member. */
  readonly finish?: (response: ResponseMessage) => string;
}

interface Pending {
  readonly member: Member;
  readonly message: RequestMessage;
  link: ServerLink | undefined;
  request: ServerRequest | undefined;
  isCancelled: boolean;
  /** Whether the request was sent again, because the session had been lost before it ran. */
  isRepeated: boolean;
}

/** Seconds after which a client may repeat a call that failed while the circuit breaker is closed. */
const RETRY_SECONDS = 1;

/** Sends requests of one connection to members, and their responses back. A failure is always a response. */
export class MemberCalls {
  readonly #links: MemberLinks;
  readonly #taskIds: TaskIds;
  readonly #write: WriteMessage;
  readonly #passBack: (response: ResponseMessage) => void;
  readonly #pending = new TransientMap<string, Pending>();

  constructor(
    links: MemberLinks,
    taskIds: TaskIds,
    { write, respond }: Pick<ConnectionParts, 'write' | 'respond'>,
  ) {
    this.#links = links;
    this.#taskIds = taskIds;
    this.#write = write;
    this.#passBack = respond;
  }

  /** Returns the pending requests at a member, oldest first. */
  pendingAt(member: Member): readonly RequestMessage[] {
    return this.#pending.list().flatMap((one) => (one.member === member ? [one.message] : []));
  }

  async send(call: MemberCall): Promise<void> {
    const { member, message } = call;
    const { id } = message;
    const why = member.unreachable;
    if (why !== undefined) return this.#refuse(id, member, why, RETRY_SECONDS);
    const waitMs = member.breaker.admit();
    if (waitMs > 0) {
      const text = 'its last calls failed, so it gets no calls until it recovers';
      return this.#refuse(id, member, text, Math.ceil(waitMs / 1000));
    }
    const pending: Pending = {
      member,
      message,
      link: undefined,
      request: undefined,
      isCancelled: false,
      isRepeated: false,
    };
    this.#pending.set(id.key, pending);
    await this.#begin(call, pending);
  }

  /** Cancels a request at its member. Returns whether it was pending. */
  cancel(notice: NotificationMessage): boolean {
    const span = findValue(notice.text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(notice.text.slice(span.start, span.end));
    const pending = id === undefined ? undefined : this.#pending.get(id.key);
    if (pending === undefined) return false;
    pending.isCancelled = true;
    try {
      if (pending.request !== undefined) pending.link?.cancel(pending.request, notice);
    } catch {
      // The queue to the member is full, so it would not read the cancellation either.
    }
    return true;
  }

  /** Returns the request of the client for the id under which the member got it. */
  requestAt(link: ServerLink, id: MessageId): RequestMessage | undefined {
    const found = this.#pending
      .list()
      .find((one) => one.link === link && one.request?.minted.key === id.key && !one.isCancelled);
    return found?.message;
  }

  async #begin(call: MemberCall, pending: Pending): Promise<void> {
    try {
      const link =
        this.#links.ready(call.member) ??
        (await this.#links.of(call.member, call.member.callerOf(call.sender)));
      if (pending.isCancelled) return this.#end(pending, undefined, false);
      pending.link = link;
      call.member.places.touch(link);
      pending.request = this.#request(link, call, pending);
    } catch (error) {
      this.#end(pending, error, !pending.isCancelled);
    }
  }

  #request(link: ServerLink, call: MemberCall, pending: Pending): ServerRequest {
    const { member, message, sender } = call;
    return link.request(
      message,
      {
        answered: (response) => this.#respond(link, call, pending, response),
        progressed: (text) => this.#write(text, member),
        failed: (error: PortolanError) => this.#end(pending, error, !pending.isCancelled),
      },
      undefined,
      member.callerOf(sender),
    );
  }

  #respond(link: ServerLink, call: MemberCall, pending: Pending, response: ResponseMessage): void {
    const { member, message, finish = textOf } = call;
    member.succeeded();
    const fault = member.hasOutcomes ? readHttpFault(response) : undefined;
    if (fault?.reason === 'session-lost' && !pending.isRepeated && !pending.isCancelled) {
      pending.isRepeated = true;
      void this.#links.discard(member, link).then(() => this.#begin(call, pending));
      return;
    }
    this.#forget(pending);
    if (fault === undefined) {
      const text = this.#taskIds.sealIn(member.name, 'result', finish(response));
      if (text === response.text) this.#passBack(response);
      else this.#write(text);
    } else {
      const data = {
        retryAfterSeconds: this.#retrySecondsOf(member),
        ...shownFault(fault),
        member: member.name,
      };
      this.#write(writeError(message.id, { code: INTERNAL_ERROR, message: fault.message, data }));
    }
  }

  #end(pending: Pending, error: unknown, isFailure: boolean): void {
    this.#forget(pending);
    const { member, message } = pending;
    member.failed(error, isFailure);
    this.#refuse(message.id, member, describeFailure(error), this.#retrySecondsOf(member));
  }

  #retrySecondsOf({ breaker }: Member): number {
    return Math.max(RETRY_SECONDS, Math.ceil(breaker.leftMs / 1000));
  }

  #forget(pending: Pending): void {
    const { key } = pending.message.id;
    // A newer request may have the same id.
    if (this.#pending.get(key) === pending) this.#pending.delete(key);
  }

  #refuse(id: MessageId, { name }: Member, why: string, retryAfterSeconds: number): void {
    const message = `The member "${name}" did not respond: ${why}`;
    this.#write(writeError(id, { code: INTERNAL_ERROR, message, data: { member: name, retryAfterSeconds } }));
  }
}

function textOf({ text }: ResponseMessage): string {
  return text;
}
