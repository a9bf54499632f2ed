/** Tool or prompt of an exposed name. */
export interface NamedItem {
  readonly member: string;
  readonly own: string;
}

/** Items that have had one name since the start. The first keeps it; a second one hides it. */
export interface NameClaim {
  first: NamedItem;
  readonly others: NamedItem[];
}

/**
 * Maximum number of names of one member that are remembered, twice the maximum of a list. A member that changes
 * its names all the time hides its own new names, not those of other members.
 */
const MAX_NAMES_OF_MEMBER = 20_000;

/** Names that were listed since the start, with their tools or prompts. */
export class NameClaims {
  readonly #claims = new Map<string, NameClaim>();
  readonly #counts = new Map<string, number>();
  readonly #conflicts = new Set<string>();

  get(exposed: string): NameClaim | undefined {
    return this.#claims.get(exposed);
  }

  /** Names with several claimants. */
  get conflicts(): ReadonlySet<string> {
    return this.#conflicts;
  }

  /** Claims a name. Returns undefined when the member has too many names already. */
  add(exposed: string, first: NamedItem): NameClaim | undefined {
    const count = this.#counts.get(first.member) ?? 0;
    if (count >= MAX_NAMES_OF_MEMBER) return undefined;
    const claim = { first, others: [] };
    this.#claims.set(exposed, claim);
    this.#counts.set(first.member, count + 1);
    return claim;
  }

  addOther(exposed: string, claim: NameClaim, other: NamedItem): void {
    claim.others.push(other);
    this.#conflicts.add(exposed);
  }

  /** Forgets the names of a member whose settings changed. The next claimant gets a name that it had first. */
  forget(member: string): void {
    this.#counts.delete(member);
    for (const [exposed, claim] of this.#claims) {
      const left = [claim.first, ...claim.others].filter((item) => item.member !== member);
      const [first, ...others] = left;
      if (first === undefined) this.#claims.delete(exposed);
      else if (left.length <= claim.others.length) this.#claims.set(exposed, { first, others });
      if (others.length === 0) this.#conflicts.delete(exposed);
      if (first !== undefined && first !== claim.first)
        this.#counts.set(first.member, (this.#counts.get(first.member) ?? 0) + 1);
    }
  }
}
