import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChangeItem,
  type EntryType,
  isPortolanError,
  type PluginContext,
  type PortolanError,
  type ReadItem,
  type ReadContext,
  type SkippedEntry,
  type Source,
  type SourceEntry,
  type SourceKind,
} from '@portolan/plugin-api';
import { type Deadline, inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { readContext } from '../read-context.ts';
import { createTestContext } from '../test-context.ts';

export interface SourceUnderTest<Kind extends SourceKind = SourceKind> {
  readonly name: string;
  readonly kind: Kind;
  readonly blocks?: readonly Parameters<Kind['create']>[0][];
  readonly create: (context: PluginContext) => Source | Promise<Source>;
  /**
   * Expected content in any order: type, document, claims, reasons for skipping, and `place` only where it is
   * given.
   */
  readonly entries: readonly (SourceEntry | SkippedEntry)[];
  /**
   * Changes the data, differently with every call, so that other entries are read. Default: the data cannot
   * change.
   */
  readonly change?: () => void | Promise<void>;
  /** Removes an entry that exists after `create` or `change`. Default: entries cannot be removed. */
  readonly remove?: () => void | Promise<void>;
  /** Makes one scope unreadable, and returns its name. Default: there are no scopes. */
  readonly spoilScope?: () => string | Promise<string>;
  /** Makes the data unreadable, such as by stopping the server. Default: the data is always readable. */
  readonly spoil?: () => void | Promise<void>;
  /** Timeout of one step in milliseconds, such as a full read. Default: 20 seconds. */
  readonly withinMs?: number;
}

export type Item = SourceEntry | SkippedEntry;

export interface SourceInUse {
  readonly source: Source;
  readonly context: ReadContext;
  /** Path of the scratch folder, which exists once the source has requested it. */
  readonly scratch: string;
}

/** Runs an action and closes the instance. Fails when a resource stays open. */
export async function useSource(
  options: Pick<SourceUnderTest, 'create' | 'withinMs'>,
  action: (used: SourceInUse) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-source-'));
  try {
    await useSourceWith(join(folder, 'scratch'), options, action);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Works like `useSource`, with the scratch folder that the caller passes. */
export async function useSourceWith(
  scratch: string,
  options: Pick<SourceUnderTest, 'create' | 'withinMs'>,
  action: (used: SourceInUse) => Promise<void>,
): Promise<void> {
  await leavesNothingOpen(async () => {
    const source = await options.create(createTestContext());
    try {
      await action({ source, context: readContext(scratch), scratch });
    } finally {
      await source.close?.();
    }
  }, options);
}

export async function readItems(
  { source, context }: SourceInUse,
  deadline: Deadline,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ReadItem[]> {
  return inTime('the end of readEntries', collect(source.readEntries(signal, context)), deadline);
}

export async function readAll(
  used: SourceInUse,
  deadline: Deadline,
  signal?: AbortSignal,
): Promise<readonly Item[]> {
  return (await readItems(used, deadline, signal)).filter(isEntry);
}

export async function readChangeItems(
  { source, context }: SourceInUse,
  since: string,
  deadline: Deadline,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ChangeItem[]> {
  const changes = source.readChanges?.(since, signal, context);
  return inTime('the end of readChanges', collect(changes ?? none()), deadline);
}

export async function fingerprintOf(
  { source, context }: SourceInUse,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  return await source.fingerprint?.(signal, context);
}

/** Returns the error of a read. Throws when the read succeeds, or its error has no code or hint. */
export async function readFault(used: SourceInUse, deadline: Deadline): Promise<PortolanError> {
  let thrown: unknown;
  try {
    await readAll(used, deadline);
  } catch (error) {
    thrown = error;
  }
  if (thrown === undefined) {
    throw new Error('reading ended as if the source were complete; the registry would now drop its entries');
  }
  if (!isPortolanError(thrown)) {
    throw new Error('reading threw an error without a code; throw a PortolanError', { cause: thrown });
  }
  return thrown;
}

export function isEntry(item: ChangeItem): item is Item {
  return 'document' in item || 'skipped' in item;
}

async function collect<Each>(items: AsyncIterable<Each>): Promise<readonly Each[]> {
  const collected: Each[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

async function* none(): AsyncGenerator<never> {
  // A source without `readChanges` has no changes to read.
}

/** Model of what a registry stores, to compare a read of changes with a full one. It checks nothing. */
export class SourcePicture {
  readonly #entries = new Map<string, SourceEntry>();
  cursor: string | undefined;

  get entries(): readonly SourceEntry[] {
    return [...this.#entries]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => withoutPosition(entry));
  }

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

  /** Throws when the source asks to start over. */
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
  const reportedItems = items.filter((item) => 'completeScopes' in item);
  const all = reportedItems.flatMap(({ allScopes }) => (allScopes === undefined ? [] : [allScopes]));
  return {
    complete: new Set(reportedItems.flatMap(({ completeScopes }) => completeScopes)),
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

/** Omits `place` (the location of an entry in its source), which may differ between reads. */
function withoutPosition(entry: SourceEntry): SourceEntry {
  const copy: { -readonly [Key in keyof SourceEntry]: SourceEntry[Key] } = { ...entry };
  delete copy.place;
  return copy;
}
