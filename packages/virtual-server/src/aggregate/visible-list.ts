import { elementsOf, findValue, isJsonObject, memberOf } from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { ListFilter } from '@portolan/proxy/list-filter';
import { createHash } from 'node:crypto';
import { type JoinedList, seenFilter } from '../lists/joined-list.ts';
import type { ListKind } from '../lists/list-kind.ts';
import type { NameDirectory } from '../names/name-directory.ts';
import { pathNameOf } from '../names/path-name.ts';

/** Exposed name and description by path name, at one time. Empty for a hidden item. */
type Exposed = ReadonlyMap<string, string>;

/** A list as it was at one time, with the names that its items had then. */
export interface ListState {
  readonly joined: JoinedList;
  /** Undefined for lists without names. */
  readonly exposed: Exposed | undefined;
  /** Settings of the tool search at that time. */
  readonly searchEpoch: number;
}

const EXPOSED = new WeakMap<JoinedList, { readonly epoch: number; readonly exposed: Exposed }>();

/** Returns the state of a list now. Callers with the same list share it. */
export function stateOf(kind: ListKind, joined: JoinedList, names: NameDirectory): ListState {
  if (kind.id !== 'name') return { joined, exposed: undefined, searchEpoch: 0 };
  const { searchEpoch } = names;
  const known = EXPOSED.get(joined);
  if (known?.epoch === names.epoch) return { joined, exposed: known.exposed, searchEpoch };
  const exposed = exposeItems(kind, joined, names);
  EXPOSED.set(joined, { epoch: names.epoch, exposed });
  return { joined, exposed, searchEpoch };
}

/** Returns whether a list certainly looks the same to every caller. */
export function isSameState(left: ListState, right: ListState): boolean {
  if (left.exposed !== right.exposed) return false;
  return left.joined === right.joined || left.joined.text === right.joined.text;
}

/** Returns a text that is equal for lists that look the same to a caller. */
export async function visibleOf(
  kind: ListKind,
  { joined, exposed, searchEpoch }: ListState,
  filter: ListFilter | undefined,
  sender: MessageSender | undefined,
): Promise<string> {
  const result = `{"${kind.items}":${joined.text}}`;
  const filtered = filter === undefined ? `{"result":${result}}` : await filter(kind.method, result, sender);
  if (filtered === undefined) return 'refused';
  const span = findValue(filtered, ['result', kind.items]);
  const hash = createHash('sha256').update(String(searchEpoch));
  for (const { start, end } of span === undefined ? [] : elementsOf(filtered, span.start)) {
    const text = filtered.slice(start, end);
    const shown = exposed === undefined ? text : (exposed.get(idIn(text, kind)) ?? '');
    if (shown !== '') hash.update(`${shown}\n${text}\n`);
  }
  return hash.digest('base64url');
}

function exposeItems(kind: ListKind, { parts }: JoinedList, names: NameDirectory): Exposed {
  const exposed = new Map<string, string>();
  for (const { member, list } of parts) {
    const isSeen = seenFilter(kind, member);
    const { override } = member.source.settings;
    for (const { id } of list.items) {
      if (!isSeen(id)) continue;
      const name = names.expose(member.name, id);
      const own = override !== undefined && Object.hasOwn(override, id) ? override[id] : undefined;
      exposed.set(
        pathNameOf(member.name, id),
        name === undefined ? '' : JSON.stringify([name, own?.description]),
      );
    }
  }
  return exposed;
}

function idIn(text: string, { id }: ListKind): string {
  const item: unknown = JSON.parse(text);
  const value = isJsonObject(item) ? memberOf(item, id) : undefined;
  return typeof value === 'string' ? value : '';
}
