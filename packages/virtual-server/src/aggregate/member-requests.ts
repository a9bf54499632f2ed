import {
  findValue,
  IdMap,
  INTERNAL_ERROR,
  type MessageId,
  type NotificationMessage,
  readId,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
  writeError,
  writeNotification,
} from '@portolan/mcp-protocol';
import type { ServerLink } from '@portolan/proxy/server-link';
import type { Member } from '../members/member.ts';
import type { TaskIds } from '../sealing/task-ids.ts';

/** Maximum number of requests of one member to one client that wait for a response. */
const MAX_REQUESTS = 64;

interface MemberRequest {
  readonly minted: MessageId;
  readonly member: Member;
  readonly link: ServerLink;
  readonly id: MessageId;
}

/** Requests of members to one client. Each has an id of its own at the client, and one response. */
export class MemberRequests {
  readonly #requests = new IdMap<MemberRequest>('m');
  readonly #taskIds: TaskIds;
  readonly #write: (text: string) => void;

  constructor(taskIds: TaskIds, write: (text: string) => void) {
    this.#taskIds = taskIds;
    this.#write = write;
  }

  /** Passes a request on to the client, or refuses it when too many of the member wait. */
  add(member: Member, link: ServerLink, { id, text }: RequestMessage): void {
    if (this.#of(link).length >= MAX_REQUESTS) {
      const message = `More than ${MAX_REQUESTS} requests to the client are pending.`;
      trySend(link, writeError(id, { code: INTERNAL_ERROR, message }));
      return;
    }
    const { minted } = this.#requests.add((own) => ({ minted: own, member, link, id }));
    link.restartClocks();
    const sealed = this.#taskIds.sealIn(member.name, 'params', text);
    this.#write(rewriteMessage(sealed, [{ path: ['id'], by: minted.text }]));
  }

  /** Passes a response of the client on to the member that waits for it. */
  respond(message: ResponseMessage): void {
    const request = this.#requests.take(message.id);
    if (request === undefined) return;
    const text = this.#taskIds.openIn(request.member.name, 'result', message.text);
    trySend(request.link, rewriteMessage(text, [{ path: ['id'], by: request.id.text }]));
    request.link.restartClocks();
  }

  /** Tells the client that a member no longer wants the response to one of its requests. */
  takeBack(link: ServerLink, { text }: NotificationMessage): void {
    const span = findValue(text, ['params', 'requestId']);
    const id = span === undefined ? undefined : readId(text.slice(span.start, span.end));
    const request = this.#of(link).find((one) => one.id.key === id?.key);
    if (request === undefined) return;
    this.#requests.take(request.minted);
    this.#write(rewriteMessage(text, [{ path: ['params', 'requestId'], by: request.minted.text }]));
  }

  /** Cancels the requests at the client, because the connection of the member has ended. */
  linkEnded(link: ServerLink): void {
    for (const { minted } of this.#of(link)) {
      this.#requests.take(minted);
      this.#write(writeNotification('notifications/cancelled', `{"requestId":${minted.text}}`));
    }
  }

  #of(link: ServerLink): readonly MemberRequest[] {
    return this.#requests.list().filter((one) => one.link === link);
  }
}

/** Sends a message that needs no response. A member that does not read its messages gets none. */
export function trySend(link: ServerLink, text: string): void {
  try {
    link.send(text);
  } catch {
    // The queue to the member is full.
  }
}
