import type { ChangeItem, EntryType, ReadItem, SourceEntry } from '@portolan/plugin-api';
import { isEntry, type Item } from './use-source.ts';

/**
 * What a registry would hold of a source after it was read: a plain map, so that
 * a read of changes can be compared with a full one. Nothing is checked.
 */
export class SourcePicture {
  readonly #entries = new Map<string, SourceEntry>();
  cursor: string | undefined;

  /** What is there, in an order of its own. */
  get entries(): readonly SourceEntry[] {
    return [...this.#entries]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => withoutPlace(entry));
  }

  /** Takes a full read. */
  readInFull(items: readonly ReadItem[]): void {
    const before = new Map(this.#entries);
    this.#entries.clear();
    for (const item of items.filter(isEntry)) this.#put(item, 'first');
    const scopes = scopesOf(items);
    if (hasScopes(items)) {
      for (const [key, entry] of before) {
        if (!this.#entries.has(key) && !isOver(entry.scope, scopes)) this.#entries.set(key, entry);
      }
    }
    this.cursor = cursorOf(items);
  }

  /** Takes a read of changes. Throws when the source says that it has to start over. */
  readChanges(items: readonly ChangeItem[]): void {
    const seen = new Set<string>();
    for (const item of items) {
      if ('startOver' in item) throw new Error(`the source starts over: ${item.startOver}`);
      if ('removed' in item) this.#remove(item.removed, item.scope);
      else if (isEntry(item)) seen.add(this.#put(item, 'last') ?? '');
    }
    const scopes = scopesOf(items);
    for (const [key, { scope }] of this.#entries) {
      if (!seen.has(key) && isOver(scope, scopes)) this.#entries.delete(key);
    }
    this.cursor = cursorOf(items) ?? this.cursor;
  }

  #put(item: Item, counts: 'first' | 'last'): string | undefined {
    if ('skipped' in item) return undefined;
    const key = keyOf(item.type, nameOf(item), textOf(item.document, 'version'));
    if (counts === 'last' || !this.#entries.has(key)) this.#entries.set(key, item);
    return key;
  }

  #remove(
    { type, name, version }: { readonly type: EntryType; readonly name: string; readonly version?: string },
    from: string | undefined,
  ): void {
    for (const [key, entry] of this.#entries) {
      const isNamed = version === undefined || version === textOf(entry.document, 'version');
      const isFrom = from === undefined || from === entry.scope;
      if (entry.type === type && nameOf(entry) === name && isNamed && isFrom) this.#entries.delete(key);
    }
  }
}

interface Scopes {
  readonly complete: ReadonlySet<string>;
  readonly all: ReadonlySet<string> | undefined;
}

export function scopesOf(items: readonly ChangeItem[]): Scopes {
  const said = items.filter((item) => 'completeScopes' in item);
  const all = said.flatMap(({ allScopes }) => (allScopes === undefined ? [] : [allScopes]));
  return {
    complete: new Set(said.flatMap(({ completeScopes }) => completeScopes)),
    all: all.length === 0 ? undefined : new Set(all.flat()),
  };
}

export function hasScopes(items: readonly ChangeItem[]): boolean {
  return items.some((item) => 'completeScopes' in item || ('document' in item && item.scope !== undefined));
}

export function cursorOf(items: readonly ChangeItem[]): string | undefined {
  return items.findLast((item) => 'cursor' in item)?.cursor;
}

function isOver(scope: string | undefined, { complete, all }: Scopes): boolean {
  if (scope !== undefined && complete.has(scope)) return true;
  return all !== undefined && (scope === undefined || !all.has(scope));
}

function nameOf({ type, document }: SourceEntry): string {
  const name = textOf(document, 'name');
  return type === 'server' ? name : `${textOf(document, 'namespace')}/${name}`;
}

function textOf(document: unknown, member: string): string {
  return String(Reflect.get(Object(document), member));
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** Where an entry stood may differ from read to read. */
function withoutPlace(entry: SourceEntry): SourceEntry {
  const copy: { -readonly [Key in keyof SourceEntry]: SourceEntry[Key] } = { ...entry };
  delete copy.place;
  return copy;
}
