import { hash } from 'node:crypto';
import { isModern } from '@portolan/mcp-protocol';
import { type Baseline, type CurrentDefinitions, LISTS, takeBaseline } from '../compare/baseline.ts';
import { DefinitionComparer } from '../compare/compare-definitions.ts';
import { type Difference, LIST_KINDS, type ListKind } from '../compare/difference.ts';
import { type DefinitionList, readItems } from '../compare/read-items.ts';
import type { NamedItem } from './named-items.ts';
import { TemplatePattern } from './template-pattern.ts';

/** Returns whether clients do not get the difference until it is approved, if the guard holds differences. */
export function isHeldClass({ class: changeClass }: Pick<Difference, 'class'>): boolean {
  return changeClass === 'held' || changeClass === 'refused';
}

/** Maximum number of differences to remember. New items beyond it stay held, but are not reported. */
const MAX_SEEN = 10_000;
/** Maximum length of the names of all remembered new items in characters. */
const MAX_SEEN_LENGTH = 4 * 1024 * 1024;

/** Differences between a baseline and what a server has sent so far. */
export class SeenDrift {
  #baseline: Baseline;
  #comparer: DefinitionComparer;
  /** Newest difference of each item. */
  readonly #newest = new Map<string, Difference>();
  readonly #reported = new Set<string>();
  readonly #patterns = new Map<string, TemplatePattern>();
  /** Length of the names of all remembered new items. */
  #length = 0;
  /** Whether the server has sent more new templates than can be remembered. */
  #hasMoreTemplates = false;

  constructor(baseline: Baseline = {}) {
    this.#baseline = baseline;
    this.#comparer = new DefinitionComparer(baseline);
  }

  get differences(): readonly Difference[] {
    return [...this.#newest.values()];
  }

  /** Baseline without the items that the server has changed and that are held for it. */
  get unchanged(): Baseline {
    if (this.#newest.size === 0) return this.#baseline;
    const lists = LIST_KINDS.map((kind) => {
      const items = [...(this.#baseline[LISTS[kind]] ?? [])].filter(([name]) => !this.#isChanged(kind, name));
      return [LISTS[kind], this.knows(kind) ? new Map(items) : undefined] as const;
    });
    return { ...this.#baseline, ...Object.fromEntries(lists) };
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
    for (const kind of LIST_KINDS) {
      const list = this.#newest.size > 0 ? current[LISTS[kind]] : undefined;
      if (list !== undefined) this.#forget(kind, new Set(readItems(kind, list).map(({ name }) => name)));
    }
    if (current.server !== undefined) this.forgetServer();
    for (const difference of differences) this.note(difference);
    return differences;
  }

  /** Returns the differences of one page. */
  compareList(kind: ListKind, list: DefinitionList): readonly Difference[] {
    return this.#comparer.compareList(kind, list);
  }

  /** Remembers the differences of a page with items of these names. */
  noteList(kind: ListKind, names: readonly string[], differences: readonly Difference[]): void {
    if (this.#newest.size > 0) this.#forget(kind, names);
    for (const difference of differences) this.note(difference);
  }

  /** Remembers the differences from an earlier baseline whose approvals are the same in this one. */
  keepFrom(before: SeenDrift): void {
    this.#hasMoreTemplates = before.#hasMoreTemplates;
    for (const difference of before.differences)
      if (approvalOf(before.#baseline, difference) === approvalOf(this.#baseline, difference))
        this.note(difference);
  }

  /** Forgets what the server has said about itself, before its next response is compared. */
  forgetServer(): void {
    for (const kind of ['server', 'instructions', 'capabilities']) this.#newest.delete(`${kind} `);
  }

  note(difference: Difference): void {
    const { kind, name } = difference;
    const key = `${kind} ${name}`;
    if (this.#isNewItem(difference) && !this.#newest.has(key)) {
      if (this.#newest.size >= MAX_SEEN || this.#length + name.length > MAX_SEEN_LENGTH) {
        this.#hasMoreTemplates ||= kind === 'template';
        return;
      }
      this.#length += name.length;
    }
    this.#newest.set(key, difference);
  }

  /** Returns true once for each difference. */
  isNew({ kind, name, change, fields, looksLike, fault }: Difference): boolean {
    // A digest, because a server chooses names and fields of any length.
    const key = hash('sha256', JSON.stringify([kind, name, change, fields, looksLike, fault]));
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
    if (isApproved) return false;
    const isOfHeld = (template: string): boolean => this.#patternOf(template).matches(name);
    return this.#hasMoreTemplates || this.#heldTemplates().some(isOfHeld);
  }

  /** Returns whether the approved capabilities are from the response to this method. */
  isOfSameForm(method: string): boolean {
    const revisions = this.#baseline.server?.revisions ?? [];
    const hasNoHandshake = revisions.length > 0 && revisions.every((revision) => isModern(revision));
    return (method === 'initialize') !== hasNoHandshake;
  }

  #forget(kind: ListKind, names: Iterable<string>): void {
    for (const name of names) {
      const key = `${kind} ${name}`;
      const difference = this.#newest.get(key);
      if (difference !== undefined && this.#isNewItem(difference)) this.#length -= name.length;
      this.#newest.delete(key);
    }
  }

  #isNewItem(difference: Difference): boolean {
    return isListKind(difference.kind) && approvalOf(this.#baseline, difference) === undefined;
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

/** Returns a text that changes with the approval of what a difference is about; undefined for what is not approved. */
function approvalOf(baseline: Baseline, { kind, name }: Difference): string | undefined {
  if (isListKind(kind)) return baseline[LISTS[kind]]?.get(name)?.digest;
  const { server } = baseline;
  if (kind === 'instructions' || kind === 'capabilities') return server?.[kind]?.digest;
  return JSON.stringify([server?.name, server?.version, server?.revisions]);
}

function isListKind(kind: Difference['kind']): kind is ListKind {
  return Object.hasOwn(LISTS, kind);
}
