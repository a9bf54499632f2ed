import { digestDefinition } from '../digest/definition-digest.ts';
import { keepAppMeta } from '../digest/app-meta.ts';
import { type ApprovedValue, REPEATED } from './baseline.ts';
import type { Difference, ListKind } from './difference.ts';
import { isSameValue } from './is-same.ts';
import { findItemChanges } from './item-changes.ts';
import { LookAlikes } from './look-alike.ts';
import { type DefinitionList, type NamedDefinition, readItems } from './read-items.ts';

/** Maximum number of new names in one list to compare with approved ones. */
const MAX_LOOK_UPS = 1000;
/** Maximum number of lists to remember: the pages of one list, and the lists of several clients. */
const MAX_REMEMBERED = 16;
/** Maximum length of all remembered lists in characters. */
const MAX_REMEMBERED_LENGTH = 4 * 1024 * 1024;

interface RememberedList {
  readonly text: string;
  readonly differences: readonly Difference[];
}

/** Compares the items of one kind with the approved ones. */
export class ItemComparer {
  readonly #kind: ListKind;
  readonly #approved: ReadonlyMap<string, ApprovedValue>;
  /** Parsed JSON of approved items, by name. */
  readonly #parsed = new Map<string, unknown>();
  #lookAlikes: LookAlikes | undefined;
  /** Number of new names of the current list. */
  #lookUps = 0;
  #remembered: readonly RememberedList[] = [];

  constructor(kind: ListKind, approved: ReadonlyMap<string, ApprovedValue>) {
    this.#kind = kind;
    this.#approved = approved;
  }

  /** Returns the differences of a list, or of one of its pages. */
  compare(list: DefinitionList): readonly Difference[] {
    if (typeof list !== 'string') return this.#compareItems(readItems(this.#kind, list));
    const known = this.#remembered.find(({ text }) => text === list);
    if (known !== undefined) return known.differences;
    const differences = this.#compareItems(readItems(this.#kind, list));
    this.#remember({ text: list, differences });
    return differences;
  }

  /** Returns approved items that a list lacks. */
  findRemoved(list: DefinitionList): readonly Difference[] {
    const names = new Set(readItems(this.#kind, list).map(({ name }) => name));
    return [...this.#approved.keys()]
      .filter((name) => !names.has(name))
      .map((name) => ({ kind: this.#kind, name, change: 'removed', class: 'note', fields: [] }));
  }

  #compareItems(items: readonly NamedDefinition[]): readonly Difference[] {
    this.#lookUps = 0;
    const differences = items.flatMap((item) => this.#compareItem(item) ?? []);
    if (differences.length === 0) return [];
    const repeated = findRepeated(items, new Set(differences.map(({ name }) => name)));
    const seen = new Set<string>();
    const rest = differences.filter(({ name }) => {
      if (repeated.has(name) || (name !== '' && seen.has(name))) return false;
      seen.add(name);
      return true;
    });
    return [...rest, ...[...repeated].map((name) => this.#unreadable(name, REPEATED))];
  }

  /** Returns undefined for an item that is as approved. */
  #compareItem({ name, value, fault }: NamedDefinition): Difference | undefined {
    if (fault !== undefined) return this.#unreadable(name, fault);
    const approved = this.#approved.get(name);
    const current = keepAppMeta(value);
    if (approved?.json !== undefined && isSameValue(this.#parse(name, approved.json), current))
      return undefined;
    const result = digestDefinition(value);
    if ('fault' in result) return this.#unreadable(name, result.fault);
    if (approved === undefined) return this.#describeAdded(name);
    if (approved.digest === result.digest) return undefined;
    const changes =
      approved.json === undefined
        ? ({ fields: [{ pointer: '', class: 'held' }], class: 'held' } as const)
        : findItemChanges(this.#kind, this.#parse(name, approved.json), JSON.parse(result.json));
    return { kind: this.#kind, name, change: 'changed', ...changes };
  }

  #describeAdded(name: string): Difference {
    this.#lookAlikes ??= new LookAlikes(this.#approved.keys());
    this.#lookUps += 1;
    const looksLike = this.#lookUps > MAX_LOOK_UPS ? undefined : this.#lookAlikes.find(name);
    const difference: Difference = { kind: this.#kind, name, change: 'added', class: 'held', fields: [] };
    return looksLike === undefined ? difference : { ...difference, looksLike };
  }

  #unreadable(name: string, fault: string): Difference {
    return { kind: this.#kind, name, change: 'unreadable', class: 'held', fields: [], fault };
  }

  #parse(name: string, json: string): unknown {
    if (!this.#parsed.has(name)) this.#parsed.set(name, JSON.parse(json));
    return this.#parsed.get(name);
  }

  #remember(list: RememberedList): void {
    let length = 0;
    this.#remembered = [list, ...this.#remembered].filter(({ text }, index) => {
      length += text.length;
      return index < MAX_REMEMBERED && length <= MAX_REMEMBERED_LENGTH;
    });
  }
}

/** Returns those of the given names that several items with different definitions have. */
function findRepeated(items: readonly NamedDefinition[], names: ReadonlySet<string>): ReadonlySet<string> {
  const digests = new Map<string, string>();
  const repeated = new Set<string>();
  const counts = Map.groupBy(
    items.filter(({ name }) => name !== '' && names.has(name)),
    ({ name }) => name,
  );
  for (const [name, group] of counts) {
    if (group.length === 1) continue;
    for (const { value, fault } of group) {
      const result = fault === undefined ? digestDefinition(value) : { fault };
      const digest = 'fault' in result ? '' : result.digest;
      if ((digests.get(name) ?? digest) !== digest) repeated.add(name);
      digests.set(name, digest);
    }
  }
  return repeated;
}
