import { rewriteMessage } from '@portolan/mcp-protocol';
import { pathNameOf } from '../names/path-name.ts';
import type { Member } from '../members/member.ts';
import type { ListKind } from './list-kind.ts';
import { fairShares } from './fair-shares.ts';
import { EMPTY_LIST, type ListItem, type MemberList } from './read-list.ts';

export interface MemberPart {
  readonly member: Member;
  readonly list: MemberList;
}

/** Lists of all members as one, with names of the message path. */
export interface JoinedList {
  /** Lists that were joined. */
  readonly parts: readonly MemberPart[];
  /** JSON array of the items. */
  readonly text: string;
  readonly isPrivate: boolean;
  /** Member of each URI or template; the first member in order that lists it. Empty for tools and prompts. */
  readonly owners: ReadonlyMap<string, Member>;
  /** URIs and templates that a second member lists. */
  readonly claims: readonly SecondClaim[];
  /** Members whose items do not all fit into the list. */
  readonly cut: readonly Member[];
}

export interface SecondClaim {
  readonly id: string;
  readonly owner: Member;
  readonly claimant: Member;
}

const MAX_JOINED = 16;
/** Maximum size of all cached lists in characters, unless one is larger. */
const MAX_KNOWN_CHARACTERS = 64 * 1024 * 1024;
/** Maximum weight of a list, below what the proxy accepts in a message of a server. See `weighItem`. */
const MAX_WEIGHT = 90_000;
/** Maximum size of a list in characters. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Maximum number of second claims to report. A member could list thousands. */
const MAX_CLAIMS = 20;

interface Joined {
  readonly kind: ListKind;
  readonly list: JoinedList;
}

/** Called with each tool and prompt that clients can see, before any of them is shown. */
export type ClaimName = (kind: ListKind, member: string, own: string, text: string) => void;

/** Cache of joined lists: callers whose members show the same lists get the same text. */
export class JoinedLists {
  readonly #claim: ClaimName;
  readonly #known: Joined[] = [];

  constructor(claim: ClaimName) {
    this.#claim = claim;
  }

  /** Returns the lists of the members as one, in the order of the parts. */
  join(kind: ListKind, parts: readonly MemberPart[]): JoinedList {
    const at = this.#known.findIndex((known) => known.kind === kind && isSame(known.list.parts, parts));
    const [known] = at < 0 ? [] : this.#known.splice(at, 1);
    const joined = known ?? { kind, list: joinLists(kind, parts, this.#claim) };
    this.#known.unshift(joined);
    let characters = 0;
    const end = this.#known.findIndex(({ list }) => (characters += list.text.length) > MAX_KNOWN_CHARACTERS);
    this.#known.splice(end < 0 ? MAX_JOINED : Math.max(1, Math.min(end, MAX_JOINED)));
    return joined.list;
  }

  /** Returns the last joined list of a kind, for `status`. */
  latest(kind: ListKind): JoinedList | undefined {
    return this.#known.find((known) => known.kind === kind)?.list;
  }
}

function isSame(left: readonly MemberPart[], right: readonly MemberPart[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ member, list }, at) => member === right[at]?.member && list === right[at]?.list)
  );
}

function joinLists(kind: ListKind, parts: readonly MemberPart[], claim: ClaimName): JoinedList {
  const texts: string[] = [];
  const owners = new Map<string, Member>();
  const claims: SecondClaim[] = [];
  const seen = parts.map((part) => seenItems(kind, part));
  const shown = countShown(seen);
  for (const [at, { member }] of parts.entries())
    for (const [place, { id, text }] of (seen[at] ?? []).entries()) {
      const isShown = place < (shown[at] ?? 0);
      // An item that does not fit has a name and an owner as well: the size of a list never decides these.
      if (kind.id === 'name') {
        claim(kind, member.name, id, text);
        if (isShown) texts.push(withPathName(text, member.name, id));
        continue;
      }
      const owner = owners.get(id);
      if (owner === undefined) {
        owners.set(id, member);
        if (isShown) texts.push(text);
      } else if (claims.length < MAX_CLAIMS) claims.push({ id, owner, claimant: member });
    }
  const cut = parts.flatMap(({ member }, at) => (shown[at] === seen[at]?.length ? [] : [member]));
  const isPrivate = parts.some(
    ({ member, list }) => list.isPrivate || (member.isPerCaller && list !== EMPTY_LIST),
  );
  return { parts, text: `[${texts.join(',')}]`, isPrivate, owners, claims, cut };
}

function seenItems(kind: ListKind, { member, list }: MemberPart): readonly ListItem[] {
  const isSeen = seenFilter(kind, member);
  return list.items.filter(({ id }) => isSeen(id));
}

/** Returns how many items of each member fit into the list. A long list costs other members no items. */
function countShown(parts: readonly (readonly ListItem[])[]): readonly number[] {
  const demands = (measure: (item: ListItem) => number): readonly number[] =>
    parts.map((items) => items.reduce((total, item) => total + measure(item), 0));
  const weights = fairShares(demands(weightOf), MAX_WEIGHT);
  const sizes = fairShares(demands(sizeOf), MAX_CHARACTERS);
  return parts.map((items, at) => {
    let weight = 0;
    let size = 0;
    const end = items.findIndex((item) => {
      weight += weightOf(item);
      size += sizeOf(item);
      return weight > (weights[at] ?? 0) || size > (sizes[at] ?? 0);
    });
    return end < 0 ? items.length : end;
  });
}

function weightOf({ weight }: ListItem): number {
  return weight;
}

function sizeOf({ text }: ListItem): number {
  return text.length;
}

/** Returns which own names clients may see. The setting `tools` of a member concerns its tools only. */
export function seenFilter({ items }: ListKind, { source }: Member): (own: string) => boolean {
  const { tools } = source.settings;
  if (items !== 'tools' || tools === undefined) return () => true;
  const seen = new Set(tools);
  return (own) => seen.has(own);
}

function withPathName(text: string, member: string, own: string): string {
  return rewriteMessage(text, [{ path: ['name'], by: JSON.stringify(pathNameOf(member, own)) }]);
}

/** Returns the part of a member whose list is unknown or empty. */
export function emptyPart(member: Member): MemberPart {
  return { member, list: EMPTY_LIST };
}
