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
import { isPortolanError, type MessageSender, type PortolanError } from '@portolan/plugin-api';
import type { ServerLink, ServerRequest } from '@portolan/proxy/server-link';
import type { Member } from '../members/member.ts';
import type { MemberLinks } from '../members/member-links.ts';
import type { TaskIds } from '../sealing/task-ids.ts';

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
}

/** Seconds after which a client may repeat a call that failed while the circuit breaker is closed. */
const RETRY_SECONDS = 1;

/** Sends requests of one connection to members, and their responses back. A failure is always a response. */
export class MemberCalls {
  readonly #links: MemberLinks;
  readonly #taskIds: TaskIds;
  readonly #write: (text: string) => void;
  readonly #pending = new TransientMap<string, Pending>();

  constructor(links: MemberLinks, taskIds: TaskIds, write: (text: string) => void) {
    this.#links = links;
    this.#taskIds = taskIds;
    this.#write = write;
  }

  /** Returns the pending requests at a member, oldest first. */
  pendingAt(member: Member): readonly RequestMessage[] {
    return this.#pending.list().flatMap((one) => (one.member === member ? [one.message] : []));
  }

  async send(call: MemberCall): Promise<void> {
    const { member, message, sender } = call;
    const { id } = message;
    const why = member.unavailable;
    if (why !== undefined) return this.#refuse(id, member, why, RETRY_SECONDS);
    const waitMs = member.breaker.admit();
    if (waitMs > 0) {
      const text = 'its last calls failed, so no call is sent for now';
      return this.#refuse(id, member, text, Math.ceil(waitMs / 1000));
    }
    const pending: Pending = {
      member,
      message,
      link: undefined,
      request: undefined,
      isCancelled: false,
    };
    this.#pending.set(id.key, pending);
    try {
      const link = await this.#links.of(member, sender);
      if (pending.isCancelled) return this.#end(pending, undefined, false);
      pending.link = link;
      member.places.touch(link);
      pending.request = this.#request(link, call, pending);
    } catch (error) {
      this.#end(pending, error, true);
    }
  }

  /** Cancels a request at its member. Returns whether it was pending. */
  cancel(notice: NotificationMessage): boolean {
    const span = findValue(notice.text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(notice.text.slice(span.start, span.end));
    const pending = id === undefined ? undefined : this.#pending.get(id.key);
    if (pending === undefined) return false;
    pending.isCancelled = true;
    if (pending.request !== undefined) pending.link?.cancel(pending.request, notice);
    return true;
  }

  #request(link: ServerLink, call: MemberCall, pending: Pending): ServerRequest {
    const { member, message, sender, finish = textOf } = call;
    return link.request(
      message,
      {
        answered: (response) => {
          this.#forget(pending);
          member.succeeded();
          this.#write(this.#taskIds.sealIn(member.name, 'result', finish(response)));
        },
        progressed: (text) => this.#write(text),
        failed: (error: PortolanError) => this.#end(pending, error, !pending.isCancelled),
      },
      undefined,
      sender,
    );
  }

  #end(pending: Pending, error: unknown, isFailure: boolean): void {
    this.#forget(pending);
    const { member, message } = pending;
    member.failed(error, isFailure);
    const why = isPortolanError(error) || error instanceof Error ? error.message : 'it did not respond';
    const retryMs = member.breaker.isOpen ? member.breaker.leftMs : 0;
    this.#refuse(message.id, member, why, Math.max(RETRY_SECONDS, Math.ceil(retryMs / 1000)));
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
