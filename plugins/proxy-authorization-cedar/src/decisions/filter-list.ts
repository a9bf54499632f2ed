import {
  isJsonObject,
  type Logger,
  type MessageChange,
  type ServerVerdict,
  soleMemberOf,
} from '@portolan/plugin-api';
import type { DecisionTurns } from './decision-turns.ts';
import type { TaskItems } from '../request/target.ts';

/** Maximum number of items in a filtered list, because each item needs a decision. */
export const MAX_LISTED_ITEMS = 5000;

/** Refusal of a list that cannot be filtered; the client gets none of its items. */
export const UNREADABLE_LIST: ServerVerdict = {
  refuse: { message: 'internal error', status: 500, code: -32_603 },
};

/** Items of a list in the order of the response, or the verdict about a list that cannot be filtered. */
export type ListedNames = { readonly items: readonly NamedItem[] } | { readonly refused: ServerVerdict };

/** Reads the items of a list. Logs why a list cannot be read, or that it has more than MAX_LISTED_ITEMS. */
export function readList(result: unknown, { member, named }: TaskItems, logger: Logger): ListedNames {
  const list = soleMemberOf(result, member);
  if (!Array.isArray(list)) return unreadable(member, `the response has no list "${member}"`, logger);
  if (list.length > MAX_LISTED_ITEMS) return { refused: refuseLongList(member, list.length, logger) };
  const items: NamedItem[] = [];
  for (const item of list as readonly unknown[]) {
    const name = soleMemberOf(item, named);
    if (typeof name !== 'string') return unreadable(member, `item ${items.length} has no "${named}"`, logger);
    items.push({ name, item });
  }
  return { items };
}

export function refuseLongList(
  list: string,
  items: number,
  logger: Logger,
  maximum = MAX_LISTED_ITEMS,
): ServerVerdict {
  logger.warn(
    { list, items, maximum },
    'list of the server has too many items to filter; the client gets an error',
  );
  const message = `The server lists more than ${maximum} ${list}, the maximum that Portolan filters.`;
  return { refuse: { message, status: 502, code: -32_603 } };
}

function unreadable(list: string, fault: string, logger: Logger): ListedNames {
  logger.warn({ list, fault }, 'list of the server cannot be filtered; the client gets an error');
  return { refused: UNREADABLE_LIST };
}

/** Decides about the items, and waits for the next turn of the event loop when one is over. */
export async function decideInTurns(
  items: readonly NamedItem[],
  isAllowed: (item: NamedItem) => boolean,
  turns: DecisionTurns,
): Promise<ReadonlySet<NamedItem>> {
  const allowed = new Set<NamedItem>();
  for (const item of items) {
    const next = turns.next();
    if (next !== undefined) await next;
    if (isAllowed(item)) allowed.add(item);
  }
  return allowed;
}

export interface NamedItem {
  readonly name: string;
  readonly item: unknown;
}

export function changesOf(
  { member }: Pick<TaskItems, 'member'>,
  items: readonly NamedItem[],
  isAllowed: (item: NamedItem) => boolean,
): MessageChange[] {
  return items.flatMap((item, at): MessageChange[] =>
    isAllowed(item) ? [] : [{ path: ['result', member, at], json: undefined }],
  );
}

/** Marks a response as private, so that shared caches do not serve it to other callers. */
export function privateTo(result: unknown, isModern: boolean): MessageChange[] {
  if (!isJsonObject(result)) return [];
  const scope = result['cacheScope'];
  const isCached = isModern || scope !== undefined || result['ttlMs'] !== undefined;
  return isCached && scope !== 'private' ? [{ path: ['result', 'cacheScope'], json: '"private"' }] : [];
}
