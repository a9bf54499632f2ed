import { isJsonObject, memberOf, type RequestMessage, rewriteMessage } from '@portolan/mcp-protocol';
import { listKindOf } from '../lists/list-kind.ts';
import { seenFilter } from '../lists/joined-list.ts';
import type { Member } from '../members/member.ts';
import { splitPathName } from '../names/path-name.ts';
import type { Aggregate } from './aggregate.ts';
import { joinedListOf, knownListOf, type ListAccess } from './list-access.ts';
import { matchesTemplate } from './match-template.ts';

/** The member that a request is for, and the request as that member gets it. */
export interface OwnedRequest {
  readonly member: Member;
  readonly message: RequestMessage;
}

/** Returns the member of a tool or prompt, named as in the message path. Undefined for an unknown one. */
export function ownerOfName(
  aggregate: Aggregate,
  message: RequestMessage,
  path: readonly string[] = ['params', 'name'],
): OwnedRequest | undefined {
  const name = valueAt(message, path.slice(1));
  const named = typeof name === 'string' ? splitPathName(name) : undefined;
  const member = named === undefined ? undefined : aggregate.memberNamed(named.member);
  if (named === undefined || member === undefined) return undefined;
  const kind = listKindOf(message.method === 'tools/call' ? 'tools/list' : 'prompts/list');
  if (kind !== undefined && !seenFilter(kind, member)(named.own)) return undefined;
  return { member, message: withText(message, path, named.own) };
}

/**
 * Returns the member of a resource: the first in order that lists its URI, otherwise the first with a template
 * that matches. Undefined when there is none.
 */
export async function ownerOfUri(
  aggregate: Aggregate,
  uri: string,
  access: ListAccess,
): Promise<Member | undefined> {
  const [resources, templates] = ['resources/list', 'resources/templates/list'].map(listKindOf);
  if (resources === undefined || templates === undefined) return undefined;
  const [listed, { owners }] = await Promise.all([
    joinedListOf(aggregate, resources, access),
    joinedListOf(aggregate, templates, access),
  ]);
  const owner = listed.owners.get(uri);
  if (owner !== undefined) return owner;
  for (const [template, member] of owners) if (matchesTemplate(template, uri)) return member;
  return undefined;
}

/** Returns the member that is known to list a URI, without asking a member. */
export function knownOwnerOf(
  aggregate: Aggregate,
  uri: string,
  access: Pick<ListAccess, 'viewOf'>,
): Member | undefined {
  const resources = listKindOf('resources/list');
  return resources && knownListOf(aggregate, resources, access)?.owners.get(uri);
}

/** Returns the member of a prompt or template that a completion is for. Undefined for an unknown one. */
export async function ownerOfReference(
  aggregate: Aggregate,
  message: RequestMessage,
  access: ListAccess,
): Promise<OwnedRequest | undefined> {
  const ref = memberOf(message.params, 'ref');
  const reference = isJsonObject(ref) ? ref : undefined;
  if (memberOf(reference, 'type') === 'ref/prompt')
    return ownerOfName(aggregate, message, ['params', 'ref', 'name']);
  const uri = memberOf(reference, 'uri');
  if (typeof uri !== 'string') return undefined;
  const templates = listKindOf('resources/templates/list');
  const joined = templates && (await joinedListOf(aggregate, templates, access));
  const member = joined?.owners.get(uri) ?? (await ownerOfUri(aggregate, uri, access));
  return member === undefined ? undefined : { member, message };
}

/** Returns the member of a task, and the request with the id of the task there. Undefined for an unknown id. */
export function ownerOfTask(aggregate: Aggregate, message: RequestMessage): OwnedRequest | undefined {
  const id = memberOf(message.params, 'taskId');
  const task = typeof id === 'string' ? aggregate.taskIds.open(id) : undefined;
  const member = task === undefined ? undefined : aggregate.memberNamed(task.member);
  if (task === undefined || member === undefined) return undefined;
  return { member, message: withText(message, ['params', 'taskId'], task.taskId) };
}

function withText(message: RequestMessage, path: readonly string[], value: string): RequestMessage {
  const text = rewriteMessage(message.text, [{ path, by: JSON.stringify(value) }]);
  return { ...message, text };
}

function valueAt({ params }: RequestMessage, path: readonly string[]): unknown {
  let value: unknown = params;
  for (const name of path) value = isJsonObject(value) ? memberOf(value, name) : undefined;
  return value;
}
