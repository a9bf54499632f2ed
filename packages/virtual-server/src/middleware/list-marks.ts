import { isJsonObject, memberOf } from '@portolan/mcp-protocol';
import type { ClientMessage, MessageChange, RequestView } from '@portolan/plugin-api';
import { randomBytes } from 'node:crypto';

/**
 * Member of `_meta` by which the middleware finds its own requests again when the response comes. Random, so
 * that clients cannot set it.
 */
const MARK = `dev.portolan/list-${randomBytes(9).toString('base64url')}`;

/** Instruction of the middleware for the response of a list. */
export interface ListMark {
  /** Position after which the page begins. Undefined for the first page. */
  readonly after?: ListPosition;
  /** Call of `find_tool` that the list is for. */
  readonly find?: { readonly query: string; readonly limit: number };
}

export interface ListPosition {
  /** Members whose items the client has already. */
  readonly done: readonly string[];
  /** Member and own name of the last item, and how many items of the member came before it. */
  readonly member: string;
  readonly own: string;
  readonly count: number;
}

/** Returns the changes that put a mark into a request. */
export function markChanges({ params }: RequestView, mark: ListMark): readonly MessageChange[] {
  const json = JSON.stringify(mark);
  const own = `{${JSON.stringify(MARK)}:${json}}`;
  if (params === undefined) return [{ path: ['params'], json: `{"_meta":${own}}` }];
  if (!isJsonObject(memberOf(params, '_meta'))) return [{ path: ['params', '_meta'], json: own }];
  return [{ path: ['params', '_meta', MARK], json }];
}

/** Returns the mark of a request. Undefined for a request that the middleware has not marked. */
export function markOf(message: ClientMessage | undefined): ListMark | undefined {
  if (message?.kind !== 'request') return undefined;
  const meta = memberOf(message.params, '_meta');
  const mark = isJsonObject(meta) ? memberOf(meta, MARK) : undefined;
  // Clients cannot know the name of the member, so the value is one that `markChanges` wrote.
  return isJsonObject(mark) ? mark : undefined;
}

/** Returns whether an opened cursor is a position in a list. */
export function isListPosition(value: unknown): value is ListPosition {
  return (
    isJsonObject(value) &&
    Array.isArray(value['done']) &&
    typeof value['member'] === 'string' &&
    typeof value['own'] === 'string' &&
    typeof value['count'] === 'number'
  );
}
