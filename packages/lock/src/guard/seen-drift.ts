import { isModern } from '@portolan/mcp-protocol';
import { type Baseline, type CurrentDefinitions, LISTS, takeBaseline } from '../compare/baseline.ts';
import { DefinitionComparer } from '../compare/compare-definitions.ts';
import type { Difference, ListKind } from '../compare/difference.ts';
import type { DefinitionList } from '../compare/read-items.ts';
import type { NamedItem } from './named-items.ts';
import { TemplatePattern } from './template-pattern.ts';

/** Returns whether clients do not get the difference until it is approved, if the guard holds differences. */
export function isHeldClass({ class: changeClass }: Pick<Difference, 'class'>): boolean {
  return changeClass === 'held' || changeClass === 'refused';
}

/** Maximum number of differences to remember. Items beyond it stay held, but are not reported. */
const MAX_SEEN = 10_000;

/** Differences between a baseline and what a server has sent so far. */
export class SeenDrift {
  #baseline: Baseline;
  #comparer: DefinitionComparer;
  /** Newest difference of each item. */
  readonly #newest = new Map<string, Difference>();
  readonly #reported = new Set<string>();
  readonly #patterns = new Map<string, TemplatePattern>();

  constructor(baseline: Baseline = {}) {
    this.#baseline = baseline;
    this.#comparer = new DefinitionComparer(baseline);
  }

  get differences(): readonly Difference[] {
    return [...this.#newest.values()];
  }

  /** Returns whether the baseline has a list of this kind. */
  knows(kind: ListKind): boolean {
    return this.#baseline[LISTS[kind]] !== undefined;
  }

  /** Makes the items of a list the baseline of a kind that has none. */
  approve(kind: ListKind, items: readonly unknown[]): void {
    const { baseline } = takeBaseline({ [LISTS[kind]]: items });
    this.#baseline = { ...baseline, ...this.#baseline, [LISTS[kind]]: baseline[LISTS[kind]] };
    this.#comparer = new DefinitionComparer(this.#baseline);
  }

  /** Compares whole lists. Returns the differences, and remembers them. */
  compare(current: CurrentDefinitions): readonly Difference[] {
    const differences = this.#comparer.compare(current);
    for (const difference of differences) this.note(difference);
    return differences;
  }

  /** Compares one page of a list, whose items have these names. Returns the differences, and remembers them. */
  compareList(kind: ListKind, list: DefinitionList, names: readonly string[]): readonly Difference[] {
    const differences = this.#comparer.compareList(kind, list);
    if (this.#newest.size > 0) for (const name of names) this.#newest.delete(`${kind} ${name}`);
    for (const difference of differences) this.note(difference);
    return differences;
  }

  /** Forgets what the server has said about itself, before its next response is compared. */
  forgetServer(): void {
    for (const kind of ['server', 'instructions', 'capabilities']) this.#newest.delete(`${kind} `);
  }

  note(difference: Difference): void {
    const key = `${difference.kind} ${difference.name}`;
    if (this.#newest.size < MAX_SEEN || this.#newest.has(key)) this.#newest.set(key, difference);
  }

  /** Returns true once for each difference. */
  isNew({ kind, name, change, fields, looksLike, fault }: Difference): boolean {
    const key = JSON.stringify([kind, name, change, fields, looksLike, fault]);
    if (this.#reported.has(key) || this.#reported.size >= MAX_SEEN) return false;
    this.#reported.add(key);
    return true;
  }

  /** Returns whether an item is not approved. An item of a list that the baseline lacks is not compared. */
  isHeld({ kind, name }: NamedItem): boolean {
    const approved = this.#baseline[LISTS[kind]];
    if (approved === undefined) return false;
    if (kind !== 'template') return !approved.has(name) || this.#isChanged(kind, name);
    const isApproved = [...approved.keys()].some(
      (template) => !this.#isChanged(kind, template) && this.#patternOf(template).matchesNarrowly(name),
    );
    return !isApproved && this.#heldTemplates().some((template) => this.#patternOf(template).matches(name));
  }

  /** Returns whether the approved capabilities are from the response to this method. */
  isOfSameForm(method: string): boolean {
    const revisions = this.#baseline.server?.revisions ?? [];
    const hasNoHandshake = revisions.length > 0 && revisions.every((revision) => isModern(revision));
    return (method === 'initialize') !== hasNoHandshake;
  }

  #isChanged(kind: ListKind, name: string): boolean {
    const found = this.#newest.get(`${kind} ${name}`);
    return found !== undefined && isHeldClass(found);
  }

  #heldTemplates(): readonly string[] {
    return this.differences
      .filter(({ kind, name }) => kind === 'template' && this.#isChanged('template', name))
      .map(({ name }) => name);
  }

  #patternOf(template: string): TemplatePattern {
    let pattern = this.#patterns.get(template);
    if (pattern === undefined) {
      pattern = new TemplatePattern(template);
      if (this.#patterns.size < MAX_SEEN) this.#patterns.set(template, pattern);
    }
    return pattern;
  }
}
