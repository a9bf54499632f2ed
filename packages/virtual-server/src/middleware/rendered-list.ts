import {
  elementsOf,
  findValue,
  isJsonObject,
  type JsonRecord,
  memberOf,
  spliceChanges,
} from '@portolan/mcp-protocol';
import type { MessageChange, ResponseView } from '@portolan/plugin-api';
import type { ListKind } from '../lists/list-kind.ts';
import { splitPathName } from '../names/path-name.ts';
import type { NameSettings } from '@portolan/run-spec';

/** An item of a list as clients see it. */
export interface RenderedItem {
  readonly member: string;
  readonly own: string;
  /** Exposed name, or URI. */
  readonly name: string;
  /** JSON of the item. */
  readonly text: string;
  /** Item with the name of the message path. */
  readonly value: JsonRecord;
}

export interface RenderNames {
  /** Returns the name that clients see. Undefined for a hidden one. */
  readonly expose: (member: string, own: string) => string | undefined;
  readonly settingsOf: (member: string) => NameSettings | undefined;
}

/** Lists that the proxy keeps are the same objects for each caller, so each is rendered once. */
const RENDERED = new WeakMap<object, { readonly hidden: number; readonly items: readonly RenderedItem[] }>();

/**
 * Returns the items of a list of the message path with the names that clients see, without hidden ones. A
 * list of resources keeps its items. `epoch` changes when names have become hidden.
 */
export function renderList(
  kind: ListKind,
  { text, result }: ResponseView,
  names: RenderNames,
  epoch: number,
): readonly RenderedItem[] {
  const values = isJsonObject(result) ? memberOf(result, kind.items) : undefined;
  if (!Array.isArray(values)) return [];
  const known = RENDERED.get(values);
  if (known?.hidden === epoch) return known.items;
  const span = findValue(text, ['result', kind.items]);
  const spans = span === undefined ? [] : [...elementsOf(text, span.start)];
  const items = values.flatMap((value: unknown, at) => {
    const place = spans[at];
    if (place === undefined || !isJsonObject(value)) return [];
    const item = renderItem(kind, text.slice(place.start, place.end), value, names);
    return item === undefined ? [] : [item];
  });
  RENDERED.set(values, { hidden: epoch, items });
  return items;
}

function renderItem(
  kind: ListKind,
  text: string,
  value: JsonRecord,
  { expose, settingsOf }: RenderNames,
): RenderedItem | undefined {
  const id = memberOf(value, kind.id);
  if (typeof id !== 'string') return undefined;
  if (kind.id !== 'name') return { member: '', own: id, name: id, text, value };
  const named = splitPathName(id);
  if (named === undefined) return undefined;
  const { member, own } = named;
  const name = expose(member, own);
  if (name === undefined) return undefined;
  const override = settingsOf(member)?.override;
  const description =
    override !== undefined && Object.hasOwn(override, own) ? override[own]?.description : undefined;
  const changes: MessageChange[] = [{ path: ['name'], json: JSON.stringify(name) }];
  if (description !== undefined) changes.push({ path: ['description'], json: JSON.stringify(description) });
  return { member, own, name, text: spliceChanges(text, changes), value };
}
