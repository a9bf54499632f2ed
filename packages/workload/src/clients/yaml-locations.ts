import { lineStartAt } from './file-edit.ts';
import type { ServerMap } from './yaml-servers.ts';

export function startOfItem({ text, isList }: ServerMap, item: unknown): number {
  const start = startOfNode(item);
  if (!isList) return start;
  const dash = text.lastIndexOf('-', start);
  return dash < lineStartAt(text, start) ? start : dash;
}

export function startOfNode(item: unknown): number {
  return rangeOf(memberOf(item, 'key') ?? item)?.[0] ?? 0;
}

export function endOfItem(item: unknown): number {
  const key = memberOf(item, 'key'); // an item of a map is a pair with a key; an item of a list has no key
  return endOfNode(key === undefined ? item : (memberOf(item, 'value') ?? key));
}

/** Returns the offset after the last value in a node, before trailing white space and comments. */
export function endOfNode(node: unknown): number {
  const items = memberOf(node, 'items');
  const last: unknown = Array.isArray(items) && memberOf(node, 'flow') !== true ? items.at(-1) : undefined;
  return last === undefined ? (rangeOf(node)?.[1] ?? 0) : endOfItem(last);
}

export function endOfLine(text: string, at: number): number {
  if (text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function rangeOf(node: unknown): readonly number[] | undefined {
  const range = memberOf(node, 'range');
  return Array.isArray(range) ? range.filter((place) => typeof place === 'number') : undefined;
}

function memberOf(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null && key in node ? Reflect.get(node, key) : undefined;
}
