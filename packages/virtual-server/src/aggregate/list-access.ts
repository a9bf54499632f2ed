import {
  isJsonObject,
  memberOf,
  type JsonRecord,
  ownRequest,
  type RequestMessage,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { ServerLink } from '@portolan/proxy/server-link';
import { emptyPart, type JoinedList, type MemberPart } from '../lists/joined-list.ts';
import type { ListKind } from '../lists/list-kind.ts';
import { readList } from '../lists/read-list.ts';
import type { Member } from '../members/member.ts';
import type { MemberLinks } from '../members/member-links.ts';
import type { Aggregate } from './aggregate.ts';

/** How one client, or one request, sees the lists of members. */
export interface ListAccess {
  readonly links: MemberLinks;
  readonly sender: MessageSender | undefined;
  /** Returns the view of the caller: the part of a member that the caller may see. Callers with the same view share lists. */
  readonly viewOf: (member: Member) => string;
  /** Returns a text that is equal for requests of the same client, as far as that is known. */
  readonly clientKey: () => string;
  /** Parameters of requests to members, without a cursor. */
  readonly params: JsonRecord;
  /** Whether a notification will announce changes of this list in this view. */
  readonly isWatched: (member: Member, kind: ListKind) => boolean;
}

/** Returns the lists of all members as one. Asks the members in parallel, each within its budget. */
export async function joinedListOf(
  aggregate: Aggregate,
  kind: ListKind,
  access: ListAccess,
): Promise<JoinedList> {
  const parts = await Promise.all(aggregate.members.map((member) => partOf(member, kind, access)));
  return aggregate.joined.join(kind, parts);
}

/** Returns the lists of all members as last known, without asking a member. Undefined when none is known. */
export function knownListOf(
  aggregate: Aggregate,
  kind: ListKind,
  access: Pick<ListAccess, 'viewOf'>,
): JoinedList | undefined {
  let isKnown = false;
  const parts = aggregate.members.map((member) => {
    const list = isAsked(member, kind) ? member.lists.peek(kind, access.viewOf(member)) : undefined;
    isKnown ||= list !== undefined;
    return list === undefined ? emptyPart(member) : { member, list };
  });
  return isKnown ? aggregate.joined.join(kind, parts) : undefined;
}

/** Returns for how many milliseconds clients may keep a list: the minimum over the members that have one. */
export function ttlOf(aggregate: Aggregate, kind: ListKind, access: ListAccess): number {
  const all = aggregate.members
    .filter((member) => isAsked(member, kind))
    .map((member) => member.lists.ttlOf(kind, access.viewOf(member), access.isWatched(member, kind)));
  return all.length === 0 ? 0 : Math.min(...all);
}

function isAsked(member: Member, { capability }: ListKind): boolean {
  return member.unavailable === undefined && member.mayHave(capability);
}

/** Returns the list of one member, within its budget. Never rejects. */
export async function partOf(member: Member, kind: ListKind, access: ListAccess): Promise<MemberPart> {
  if (!isAsked(member, kind)) return emptyPart(member);
  const view = access.viewOf(member);
  const known = member.lists.peek(kind, view);
  // A member that fails must not delay every list; its breaker admits calls that show when it works again.
  if (member.breaker.leftMs > 0 || member.silent !== undefined)
    return known === undefined ? emptyPart(member) : { member, list: known };
  const { list, isLate } = await member.lists.get({
    kind,
    view,
    isWatched: access.isWatched(member, kind),
    read: () => readList(kind, (cursor) => fetchPage(member, kind, access, cursor)),
  });
  if (isLate) member.suspect();
  return list === undefined ? emptyPart(member) : { member, list };
}

async function fetchPage(
  member: Member,
  { method, capability }: ListKind,
  { links, sender: client, params }: ListAccess,
  cursor: string | undefined,
): Promise<ResponseMessage> {
  const sender = member.callerOf(client);
  let response: ResponseMessage;
  const page = cursor === undefined ? params : { ...params, cursor };
  try {
    const link = await links.of(member, sender);
    if (!member.mayHave(capability)) return EMPTY_PAGE;
    response = await ask(link, ownRequest(method, page), sender);
  } catch (error) {
    member.failed(error, true);
    throw error;
  }
  member.succeeded();
  if (response.isError) throw new Error(errorTextOf(method, response));
  // Without this check, the list would count as empty.
  if (isJsonObject(response.result) && memberOf(response.result, 'resultType') === 'input_required')
    throw new Error(`It responded to ${method} with a request for input`);
  return response;
}

/** A page of a list that the member does not have. */
const EMPTY_PAGE: ResponseMessage = {
  kind: 'response',
  text: '{"result":{}}',
  id: { text: '0', key: 'n0' },
  result: {},
  errorCode: undefined,
  isError: false,
};

/** Sends a request of the virtual server itself. Rejects when the response is an error or does not come. */
export async function askLink(
  link: ServerLink,
  message: RequestMessage,
  sender: MessageSender | undefined,
): Promise<ResponseMessage> {
  const response = await ask(link, message, sender);
  if (response.isError) throw new Error(errorTextOf(message.method, response));
  return response;
}

function ask(
  link: ServerLink,
  message: RequestMessage,
  sender: MessageSender | undefined,
): Promise<ResponseMessage> {
  return new Promise((resolve, reject) => {
    const receiver = { answered: resolve, progressed: () => undefined, failed: reject };
    link.request(message, receiver, undefined, sender);
  });
}

function errorTextOf(method: string, { text }: ResponseMessage): string {
  const error: unknown = memberOf(JSON.parse(text), 'error');
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : '';
  return `It responded to ${method} with an error: ${String(message).slice(0, 300)}`;
}
