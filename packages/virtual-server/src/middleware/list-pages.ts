import type { ListPosition } from './list-marks.ts';
import type { RenderedItem } from './rendered-list.ts';

/** Maximum number of items of a page. */
const MAX_ITEMS = 1000;
/** Maximum size of a page in characters, unless one item is larger. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

export interface ListPage {
  readonly items: readonly RenderedItem[];
  /** Position of the next page. Undefined on the last page. */
  readonly next: ListPosition | undefined;
}

/**
 * Returns the page after a position. A page is full while more items follow. The position stays usable when
 * members or items come and go: nothing is shown twice because of it.
 */
export function pageOf(items: readonly RenderedItem[], after: ListPosition | undefined): ListPage {
  const left = after === undefined ? items : itemsAfter(items, after);
  let characters = 0;
  let count = 0;
  for (const { text } of left) {
    characters += text.length;
    if (count >= MAX_ITEMS || (count > 0 && characters > MAX_CHARACTERS)) break;
    count += 1;
  }
  const page = left.slice(0, count);
  const last = page.at(-1);
  if (last === undefined || count === left.length) return { items: page, next: undefined };
  return { items: page, next: positionOf(items, last, after) };
}

function itemsAfter(
  items: readonly RenderedItem[],
  { done, member, own, count }: ListPosition,
): readonly RenderedItem[] {
  const open = items.filter((item) => !done.includes(item.member));
  const current = open.filter((item) => item.member === member);
  const at = current.findIndex((item) => item.own === own);
  const rest = new Set(current.slice(at < 0 ? count : at + 1));
  return open.filter((item) => item.member !== member || rest.has(item));
}

function positionOf(
  items: readonly RenderedItem[],
  last: RenderedItem,
  after: ListPosition | undefined,
): ListPosition {
  const at = items.indexOf(last);
  const before = items.slice(0, at).map(({ member }) => member);
  const done = new Set([...(after?.done ?? []), ...before]);
  done.delete(last.member);
  const count = before.filter((member) => member === last.member).length + 1;
  return { done: [...done], member: last.member, own: last.own, count };
}
