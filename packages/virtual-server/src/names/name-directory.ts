import { exposedNameOf, findNameFault, type NameSettings, ownNamesOf } from '@portolan/run-spec';
import { pathNameOf } from './path-name.ts';

/** Maximum number of names of which the directory remembers what they stand for. */
const MAX_NAMES = 200_000;
/** Maximum number of findings of one member to report. */
const MAX_FINDINGS = 20;

export interface NamedMember {
  readonly name: string;
  readonly settings: NameSettings;
}

/** What an exposed name stands for. */
export interface NamedItem {
  readonly member: string;
  readonly own: string;
}

/**
 * What exposed names stand for. A name that two members have had since the start is hidden, and a name never
 * stands for another tool or prompt than before.
 */
export class NameDirectory {
  readonly #reserved: ReadonlySet<string>;
  readonly #owners = new Map<string, NamedItem>();
  readonly #hidden = new Map<string, string>();
  readonly #findings = new Map<string, Set<string>>();
  #members: readonly NamedMember[] = [];
  #epoch = 0;

  /** `reserved` are names that no member may have, such as those of the tool search. */
  constructor(reserved: readonly string[]) {
    this.#reserved = new Set(reserved);
  }

  /** Number that changes when a name becomes hidden, or may be shown again. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Replaces the members. A name keeps what it stands for, unless the settings of its member changed. */
  replaceMembers(members: readonly NamedMember[]): void {
    for (const before of this.#members) {
      const now = members.find(({ name }) => name === before.name);
      if (now !== undefined && JSON.stringify(now.settings) !== JSON.stringify(before.settings))
        this.#forget(before.name);
    }
    this.#members = members;
    this.#epoch += 1;
  }

  /**
   * Returns the name that clients see, or undefined for a hidden one. The first call claims the name for this
   * item.
   */
  expose(member: string, own: string): string | undefined {
    const named = this.#members.find(({ name }) => name === member);
    if (named === undefined) return undefined;
    const exposed = exposedNameOf({ member, settings: named.settings }, own);
    const fault = this.#faultOf(exposed);
    if (fault !== undefined) {
      this.#report(member, `"${own}" is hidden: ${fault}`);
      return undefined;
    }
    const owner = this.#owners.get(exposed);
    if (owner === undefined) {
      if (this.#owners.size >= MAX_NAMES) return undefined;
      this.#owners.set(exposed, { member, own });
    } else if (owner.member !== member || owner.own !== own) {
      this.#hide(exposed, owner, { member, own });
    }
    return this.#hidden.has(exposed) ? undefined : exposed;
  }

  /**
   * Returns what a name of a client stands for. Undefined for a hidden name, and for one that no member or
   * several members could have.
   */
  resolve(exposed: string): NamedItem | undefined {
    if (this.#hidden.has(exposed) || this.#reserved.has(exposed)) return undefined;
    const owner = this.#owners.get(exposed);
    if (owner !== undefined)
      return this.#members.some(({ name }) => name === owner.member) ? owner : undefined;
    const candidates = this.#members.flatMap(({ name: member, settings }) =>
      ownNamesOf({ member, settings }, exposed).map((own) => ({ member, own })),
    );
    return candidates.length === 1 ? candidates[0] : undefined;
  }

  /** Returns why names of a member are hidden, one sentence each. */
  findingsOf(member: string): readonly string[] {
    return [...(this.#findings.get(member) ?? [])];
  }

  #faultOf(exposed: string): string | undefined {
    if (this.#reserved.has(exposed)) return `the tool search has the name "${exposed}". Set "override".`;
    const fault = findNameFault(exposed);
    return fault === undefined
      ? undefined
      : `the name "${exposed.slice(0, 200)}" is not valid, because ${fault}. Set "override".`;
  }

  #hide(exposed: string, first: NamedItem, second: NamedItem): void {
    const both = `"${pathNameOf(first.member, first.own)}" and "${pathNameOf(second.member, second.own)}"`;
    const finding = `Both ${both} have the name "${exposed}", so both are hidden. Set "override" of one.`;
    if (!this.#hidden.has(exposed)) this.#epoch += 1;
    this.#hidden.set(exposed, finding);
    for (const { member } of [first, second]) this.#report(member, finding);
  }

  #report(member: string, finding: string): void {
    const findings = this.#findings.get(member) ?? new Set();
    if (findings.size < MAX_FINDINGS) findings.add(finding);
    this.#findings.set(member, findings);
  }

  #forget(member: string): void {
    for (const [exposed, owner] of this.#owners)
      if (owner.member === member) {
        this.#owners.delete(exposed);
        this.#hidden.delete(exposed);
      }
    this.#findings.delete(member);
  }
}
