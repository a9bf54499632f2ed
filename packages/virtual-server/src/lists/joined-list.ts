import { rewriteMessage } from '@portolan/mcp-protocol';
import { pathNameOf } from '../names/path-name.ts';
import type { Member } from '../members/member.ts';
import type { ListKind } from './list-kind.ts';
import { EMPTY_LIST, type MemberList } from './read-list.ts';

export interface MemberPart {
  readonly member: Member;
  readonly list: MemberList;
}

/** Lists of all members as one, with names of the message path. */
export interface JoinedList {
  /** JSON array of the items. */
  readonly text: string;
  /** Minimum over all members, in milliseconds. Undefined when no member says anything. */
  readonly ttlMs: number | undefined;
  readonly isPrivate: boolean;
  /** Member of each URI or template; the first member in order that lists it. Empty for tools and prompts. */
  readonly owners: ReadonlyMap<string, Member>;
  /** URIs and templates that a second member lists. */
  readonly claims: readonly SecondClaim[];
}

export interface SecondClaim {
  readonly id: string;
  readonly owner: Member;
  readonly claimant: Member;
}

const MAX_JOINED = 16;
/** Maximum number of second claims to report. A member could list thousands. */
const MAX_CLAIMS = 20;

interface Joined {
  readonly kind: ListKind;
  readonly parts: readonly MemberPart[];
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
    const at = this.#known.findIndex((known) => known.kind === kind && isSame(known.parts, parts));
    const [known] = at < 0 ? [] : this.#known.splice(at, 1);
    const joined = known ?? { kind, parts, list: joinLists(kind, parts, this.#claim) };
    this.#known.unshift(joined);
    this.#known.splice(MAX_JOINED);
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
  let ttlMs: number | undefined;
  let isPrivate = false;
  for (const { member, list } of parts) {
    isPrivate ||= list.isPrivate;
    if (list.ttlMs !== undefined) ttlMs = ttlMs === undefined ? list.ttlMs : Math.min(ttlMs, list.ttlMs);
    const isSeen = seenFilter(kind, member);
    for (const { id, text } of list.items) {
      if (kind.id === 'name') {
        if (!isSeen(id)) continue;
        claim(kind, member.name, id, text);
        texts.push(withPathName(text, member.name, id));
        continue;
      }
      const owner = owners.get(id);
      if (owner === undefined) {
        owners.set(id, member);
        texts.push(text);
      } else if (claims.length < MAX_CLAIMS) claims.push({ id, owner, claimant: member });
    }
  }
  return { text: `[${texts.join(',')}]`, ttlMs, isPrivate, owners, claims };
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
