import { isJsonObject, type MessageChange, type ServerVerdict, soleMemberOf } from '@portolan/plugin-api';
import type { TaskItems } from './target.ts';

/** A list that cannot be understood is not passed on (run-formats.md 4.5). */
export const UNREADABLE_LIST: ServerVerdict = {
  refuse: { message: 'internal error', status: 500, code: -32_603 },
};

/** The items of a list in the order in which they stand there; undefined where it cannot be understood. */
export function itemsIn(result: unknown, { member, named }: TaskItems): readonly NamedItem[] | undefined {
  const list = soleMemberOf(result, member);
  if (!Array.isArray(list)) return undefined;
  const items: NamedItem[] = [];
  for (const item of list as readonly unknown[]) {
    const name = soleMemberOf(item, named);
    if (typeof name !== 'string') return undefined;
    items.push({ name, item });
  }
  return items;
}

export interface NamedItem {
  readonly name: string;
  readonly item: unknown;
}

/** Takes items out; nothing else of the answer changes, but who may keep it. */
export function changesOf(
  { member }: Pick<TaskItems, 'member'>,
  items: readonly NamedItem[],
  isAllowed: (item: NamedItem) => boolean,
): MessageChange[] {
  return items.flatMap((item, at): MessageChange[] =>
    isAllowed(item) ? [] : [{ path: ['result', member, at], json: undefined }],
  );
}

/** What a caller sees may not be handed to others: caches are told so, where the answer speaks of them. */
export function privateTo(result: unknown, isModern: boolean): MessageChange[] {
  if (!isJsonObject(result)) return [];
  const scope = result['cacheScope'];
  const isCached = isModern || scope !== undefined || result['ttlMs'] !== undefined;
  return isCached && scope !== 'private' ? [{ path: ['result', 'cacheScope'], json: '"private"' }] : [];
}
