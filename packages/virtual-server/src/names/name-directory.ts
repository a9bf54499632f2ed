import { exposedNameOf, findNameFault, type NameSettings, ownNamesOf } from '@portolan/run-spec';
import { type NameClaim, NameClaims, type NamedItem } from './name-claims.ts';
import { pathNameOf } from './path-name.ts';
import { quoteText } from './shown-text.ts';

export type { NamedItem } from './name-claims.ts';

/** Maximum number of findings of one member to report. */
const MAX_FINDINGS = 20;
/** Maximum number of called names to remember before a list shows them. */
const MAX_CALLED = 10_000;

export interface NamedMember {
  readonly name: string;
  readonly settings: NameSettings;
}

/** Returns whether the list of a member is known, and does not have the item. */
export type LacksItem = (member: string, own: string) => boolean;

/**
 * Directory of exposed names. A name that two members have had since the start is hidden, and a name
 * never changes its meaning.
 */
export class NameDirectory {
  #reserved: ReadonlySet<string>;
  readonly #lacks: LacksItem;
  readonly #claims = new NameClaims();
  /** Names that clients have called before a list showed them. */
  readonly #called = new Map<string, NamedItem>();
  readonly #faults = new Map<string, Set<string>>();
  #members: ReadonlyMap<string, NamedMember> = new Map();
  #epoch = 0;
  #searchEpoch = 0;

  /** `reserved` are names that no member may have, such as those of the tool search. */
  constructor(reserved: readonly string[], lacks: LacksItem = () => false) {
    this.#reserved = new Set(reserved);
    this.#lacks = lacks;
  }

  /** Number that changes when a name becomes hidden, or may be shown again. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Number that changes when the tool search changes, and with it every list. */
  get searchEpoch(): number {
    return this.#searchEpoch;
  }

  /** Replaces the names that no member may have, because the tool search changed. */
  reserve(names: readonly string[]): void {
    this.#reserved = new Set(names);
    this.#searchEpoch += 1;
    this.#epoch += 1;
  }

  /** Replaces the members. A name keeps its meaning, unless the settings of its member changed. */
  replaceMembers(members: readonly NamedMember[]): void {
    const next = new Map(members.map((member) => [member.name, member]));
    for (const before of this.#members.values()) {
      const now = next.get(before.name);
      if (now !== undefined && JSON.stringify(now.settings) !== JSON.stringify(before.settings))
        this.#forget(before.name);
    }
    this.#members = next;
    this.#epoch += 1;
  }

  /**
   * Returns the name that clients see, or undefined for a hidden one. The first call claims the name for this
   * item.
   */
  expose(member: string, own: string): string | undefined {
    const named = this.#members.get(member);
    if (named === undefined) return undefined;
    const exposed = exposedNameOf({ member, settings: named.settings }, own);
    const fault = this.#faultOf(exposed);
    if (fault !== undefined) {
      this.#report(member, `${quoteText(own)} is hidden: ${fault}`);
      return undefined;
    }
    const claim = this.#claims.get(exposed) ?? this.#claim(exposed, { member, own });
    if (claim === undefined) {
      this.#report(member, `${quoteText(own)} is hidden: the member has had too many names since the start.`);
      return undefined;
    }
    if (![claim.first, ...claim.others].some((item) => isItem(item, member, own))) {
      if (!this.#isHidden(claim)) this.#epoch += 1;
      this.#claims.addOther(exposed, claim, { member, own });
    }
    return this.#isHidden(claim) || !isItem(claim.first, member, own) ? undefined : exposed;
  }

  /**
   * Returns the tool or prompt that a client means. Undefined for a hidden name, and for one that no member or
   * several members could have.
   */
  resolve(exposed: string): NamedItem | undefined {
    if (this.#faultOf(exposed) !== undefined) return undefined;
    const claim = this.#claims.get(exposed);
    const known = claim?.first ?? this.#called.get(exposed);
    if (known !== undefined) {
      const isGone = !this.#members.has(known.member);
      return isGone || (claim !== undefined && this.#isHidden(claim)) ? undefined : known;
    }
    const candidates = [...this.#members.values()].flatMap((member) => candidatesOf(member, exposed));
    // Among several members, the list of one can rule it out before that of another is known.
    const possible =
      candidates.length < 2 ? candidates : candidates.filter(({ member, own }) => !this.#lacks(member, own));
    const [only, other] = possible;
    if (only === undefined || other !== undefined || this.#called.size >= MAX_CALLED) return undefined;
    this.#called.set(exposed, only);
    return only;
  }

  /** Returns why names of a member are hidden, one sentence each. */
  findingsOf(member: string): readonly string[] {
    const findings = [...(this.#faults.get(member) ?? [])];
    for (const exposed of this.#claims.conflicts) {
      if (findings.length >= MAX_FINDINGS) break;
      const claim = this.#claims.get(exposed);
      const items = claim === undefined ? [] : [claim.first, ...claim.others];
      if (claim !== undefined && this.#isHidden(claim) && items.some((item) => item.member === member))
        findings.push(describeConflict(exposed, claim));
    }
    return findings;
  }

  /** Claims a name for an item, or for the item that a client has called by it before. */
  #claim(exposed: string, item: NamedItem): NameClaim | undefined {
    const called = this.#called.get(exposed);
    this.#called.delete(exposed);
    const isStale = called === undefined || this.#lacks(called.member, called.own);
    return this.#claims.add(exposed, isStale ? item : called);
  }

  #isHidden({ others }: NameClaim): boolean {
    return others.some(({ member }) => this.#members.has(member));
  }

  #faultOf(exposed: string): string | undefined {
    if (this.#reserved.has(exposed)) return `the tool search has the name "${exposed}". Set "override".`;
    const fault = findNameFault(exposed);
    return fault === undefined
      ? undefined
      : `the name ${quoteText(exposed)} is not valid, because ${fault}. Set "override".`;
  }

  #report(member: string, finding: string): void {
    const findings = this.#faults.get(member) ?? new Set();
    if (findings.size < MAX_FINDINGS) findings.add(finding);
    this.#faults.set(member, findings);
  }

  #forget(member: string): void {
    this.#claims.forget(member);
    for (const [exposed, item] of this.#called) if (item.member === member) this.#called.delete(exposed);
    this.#faults.delete(member);
  }
}

/** Returns what a member could expose under a name. A name that an override sets is meant for that item. */
function candidatesOf({ name: member, settings }: NamedMember, exposed: string): readonly NamedItem[] {
  const own = ownNamesOf({ member, settings }, exposed);
  const renamed = own.filter((one) => isRenamed(settings, one, exposed));
  return (renamed.length > 0 ? renamed : own).map((one) => ({ member, own: one }));
}

function isRenamed({ override }: NameSettings, own: string, exposed: string): boolean {
  return override !== undefined && Object.hasOwn(override, own) && override[own]?.name === exposed;
}

function isItem(item: NamedItem, member: string, own: string): boolean {
  return item.member === member && item.own === own;
}

function describeConflict(exposed: string, { first, others }: NameClaim): string {
  const second = others.at(-1) ?? first;
  const [left, right] = [first, second].map(({ member, own }) => quoteText(pathNameOf(member, own)));
  return `Both ${left} and ${right} have the name "${exposed}", so both are hidden. Set "override" of one.`;
}
