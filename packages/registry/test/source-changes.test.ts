import type { ChangeItem, ReadItem, Source, SourceEntry } from '@portolan/plugin-api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Store } from '@portolan/registry';
import { highestVersion } from '../src/store/latest-version.ts';
import { leaseOwner, Leases } from '../src/sync/schedule/lease.ts';
import { syncSource } from '../src/sync/sync-source.ts';
import type { SyncedSource, SyncContext } from '../src/sync/synced-source.ts';
import { limitMs, trials } from '../../../test/support/soak.ts';
import { forEachEngine, openTestStore, silent, type TestDatabase } from './support/engines.ts';
import { define } from './support/fill.ts';
import { server } from './support/settable-source.ts';

const SCOPES = ['a', 'b', 'c'] as const;
const NAMES = ['acme/x', 'acme/y', 'other/z'] as const;
const VERSIONS = ['1.0.0', '1.2.0', '2.0.0'] as const;

/** In a cursor: of a part that could not be read. */
const UNREAD = -1;

type Scope = (typeof SCOPES)[number];

interface Kept {
  readonly name: string;
  readonly version: string;
  readonly scope: Scope;
  readonly text: string;
}

/** What happens at the place that a source reads. */
type Event =
  | {
      readonly do: 'put';
      readonly name: string;
      readonly version: string;
      readonly scope: Scope;
      readonly text: string;
    }
  | { readonly do: 'drop'; readonly name: string; readonly version: string }
  | { readonly do: 'spoil'; readonly scope: Scope }
  | { readonly do: 'heal'; readonly scope: Scope }
  | { readonly do: 'end'; readonly scope: Scope }
  | {
      readonly do: 'sync';
      readonly how: 'well' | 'fails in the middle' | 'starts over' | 'is asked in full';
    };

/** An entry that came or went. */
interface LogLine {
  readonly scope: Scope;
  readonly key: string;
  readonly now: Kept | undefined;
}

/** The place: entries in parts, and a log of everything that happened there. */
class Place implements Source {
  readonly entries = new Map<string, Kept>();
  readonly spoiled = new Set<Scope>();
  readonly isScoped: boolean;
  readonly reads: string[] = [];
  how: Extract<Event, { do: 'sync' }>['how'] = 'well';
  /** What the last reading of changes told of, in turn. */
  told: LogLine[] = [];
  /** Entries that the last reading of changes has yielded, by key. */
  readonly shown = new Set<string>();
  readonly #log: LogLine[] = [];

  constructor(isScoped: boolean) {
    this.isScoped = isScoped;
  }

  put(kept: Kept): void {
    const key = keyOf(kept);
    const before = this.entries.get(key);
    if (before !== undefined && before.scope !== kept.scope) this.drop(before);
    this.entries.set(key, kept);
    this.#log.push({ scope: kept.scope, key, now: kept });
  }

  drop(which: Pick<Kept, 'name' | 'version'>): void {
    const key = keyOf(which);
    const before = this.entries.get(key);
    if (before === undefined) return;
    this.entries.delete(key);
    this.#log.push({ scope: before.scope, key, now: undefined });
  }

  async *readEntries(): AsyncGenerator<ReadItem> {
    this.reads.push('in full');
    let left = this.how === 'fails in the middle' ? Math.ceil(this.entries.size / 2) : Infinity;
    for (const kept of this.entries.values()) {
      if (this.isScoped && this.spoiled.has(kept.scope)) continue;
      if ((left -= 1) < 0) break;
      yield this.#entry(kept);
    }
    if (this.how === 'fails in the middle') throw new Error('the connection broke');
    yield* this.#aboutScopes(SCOPES.filter((scope) => !this.spoiled.has(scope)));
    yield { cursor: this.#cursor() };
  }

  async *readChanges(since: string): AsyncGenerator<ChangeItem> {
    this.reads.push('changes');
    this.told = [];
    this.shown.clear();
    if (this.how === 'starts over') {
      yield { startOver: 'The log was lost.' };
      return;
    }
    const from: Record<string, number> = JSON.parse(since);
    // A part that could not be read the last time is read in full, when it can be.
    const healed = SCOPES.filter(
      (scope) => this.isScoped && from[scope] === UNREAD && !this.spoiled.has(scope),
    );
    for (const [at, line] of this.#log.entries()) {
      const { scope, key, now } = line;
      const isUnread = from[scope] === UNREAD || this.spoiled.has(scope);
      if (this.isScoped && isUnread) continue;
      if (at < (from[scope] ?? 0)) continue;
      this.told.push(line);
      if (now !== undefined) {
        yield this.#entry(now);
        continue;
      }
      const [name = '', version = ''] = key.split('@');
      yield { removed: { type: 'server', name, version }, ...(this.isScoped ? { scope } : {}) };
      // What was never there may be told of as well.
      yield { removed: { type: 'server', name: 'acme/never' } };
    }
    if (this.how === 'fails in the middle') throw new Error('the connection broke');
    for (const kept of this.entries.values()) if (healed.includes(kept.scope)) yield this.#entry(kept);
    yield* this.#aboutScopes(healed);
    yield { cursor: this.#cursor() };
  }

  #entry({ name, version, scope, text }: Kept): SourceEntry {
    this.shown.add(keyOf({ name, version }));
    const entry = server(name, { version, description: text === 'bad' ? 7 : text });
    return this.isScoped ? { ...entry, scope } : entry;
  }

  *#aboutScopes(completeScopes: readonly Scope[]): Generator<ReadItem> {
    if (this.isScoped) yield { completeScopes, allScopes: SCOPES };
  }

  #cursor(): string {
    const at = SCOPES.map((scope) => [scope, this.spoiled.has(scope) ? UNREAD : this.#log.length]);
    return JSON.stringify(Object.fromEntries(at));
  }
}

function keyOf({ name, version }: Pick<Kept, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

const events = (isScoped: boolean): fc.Arbitrary<readonly Event[]> => {
  const scope = fc.constantFrom(...(isScoped ? SCOPES : (['a'] as const)));
  const which = { name: fc.constantFrom(...NAMES), version: fc.constantFrom(...VERSIONS) };
  const text = fc.constantFrom('one', 'two', 'three', 'bad');
  const how = fc.constantFrom(
    'well',
    'well',
    'well',
    'fails in the middle',
    'starts over',
    'is asked in full',
  );
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('put' as const), ...which, scope, text }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), ...which }) },
      {
        weight: isScoped ? 2 : 0,
        arbitrary: fc.record({
          do: fc.constantFrom('spoil' as const, 'heal' as const, 'end' as const),
          scope,
        }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('sync' as const), how }) },
    ),
    { minLength: 3, maxLength: 25 },
  );
};

/** An entry moves to another part and leaves that one, before a read that the first part is missing from. */
const MOVED_AND_GONE: readonly Event[] = [
  { do: 'put', name: 'acme/x', version: '1.0.0', scope: 'b', text: 'one' },
  { do: 'sync', how: 'well' },
  { do: 'put', name: 'acme/x', version: '1.0.0', scope: 'a', text: 'one' },
  { do: 'end', scope: 'a' },
  { do: 'spoil', scope: 'b' },
  { do: 'sync', how: 'well' },
];

/** An entry moves to another part, where it is no good, before a read of everything that its old part is missing from. */
const MOVED_AND_BAD: readonly Event[] = [
  { do: 'put', name: 'other/z', version: '1.2.0', scope: 'b', text: 'one' },
  { do: 'sync', how: 'well' },
  { do: 'put', name: 'other/z', version: '1.2.0', scope: 'a', text: 'bad' },
  { do: 'spoil', scope: 'b' },
  { do: 'sync', how: 'is asked in full' },
  { do: 'sync', how: 'well' },
];

forEachEngine((engine) => {
  describe('syncSource with a source that reports changes', () => {
    let database: TestDatabase;
    let store: Store;
    let around: SyncContext;
    let made = 0;

    before(async () => {
      database = await engine.make();
      store = await openTestStore(database.config);
      const owner = leaseOwner();
      around = {
        store,
        owner,
        leases: new Leases(store, owner),
        logger: silent,
        clock: () => new Date(),
        maxMetaSize: 1000,
      };
    });

    after(async () => {
      await store.close();
      await database.drop();
    });

    const open = async (instance: Source, more: Partial<SyncedSource> = {}): Promise<SyncedSource> => {
      const name = `s${(made += 1)}`;
      const id = (await define(store, [{ name, claims: { team: 'a' } }], [])).get(name) ?? 0;
      return {
        id,
        name,
        instance,
        claimsFrom: 'source',
        filter: undefined,
        intervalMs: 3_600_000,
        allowShrink: true,
        ...more,
      };
    };

    const sync = async (source: SyncedSource) => {
      expect(await around.leases.take(source, true), 'the lease').to.equal(true);
      return await syncSource(source, around, new AbortController().signal);
    };

    const statusOf = (id: number) =>
      store.reading
        .selectFrom('sync_status')
        .selectAll()
        .where('source_id', '=', id)
        .executeTakeFirstOrThrow();

    const rowsOf = (id: number) =>
      store.reading
        .selectFrom('entry_version')
        .selectAll()
        .where('source_id', '=', id)
        .orderBy('name')
        .orderBy('version')
        .execute();

    const requireWhole = async (
      { id }: SyncedSource,
      expected: ReadonlyMap<string, Kept>,
      isScoped: boolean,
    ) => {
      const rows = await rowsOf(id);
      const found = rows.map(({ name, version, document, scope }) => ({
        key: keyOf({ name, version }),
        text: (JSON.parse(document) as { description: string }).description,
        scope,
      }));
      const wanted = [...expected.values()].map((kept) => ({
        key: keyOf(kept),
        text: kept.text,
        scope: isScoped ? kept.scope : null,
      }));
      expect(found).to.have.deep.members(wanted);
      for (const versions of Map.groupBy(rows, (row) => row.entry_id).values()) {
        const latest = versions.filter((row) => row.is_latest === 1);
        expect(latest.map((row) => row.id)).to.deep.equal([highestVersion(versions)?.id]);
      }
      const entries = await store.reading
        .selectFrom('entry')
        .select('id')
        .where('source_id', '=', id)
        .execute();
      expect(new Set(rows.map((row) => row.entry_id))).to.deep.equal(new Set(entries.map((row) => row.id)));
      const status = await statusOf(id);
      expect([status.server_count, status.version_count]).to.deep.equal([entries.length, rows.length]);
    };

    const follow = async (list: readonly Event[], isScoped: boolean): Promise<void> => {
      const place = new Place(isScoped);
      const source = await open(place);
      const expected = new Map<string, Kept>();
      for (const event of [...list, { do: 'sync', how: 'well' } as const]) {
        if (event.do === 'put') place.put(event);
        else if (event.do === 'drop') place.drop(event);
        else if (event.do === 'spoil') place.spoiled.add(event.scope);
        else if (event.do === 'heal') place.spoiled.delete(event.scope);
        else if (event.do === 'end') {
          for (const kept of place.entries.values()) if (kept.scope === event.scope) place.drop(kept);
        } else {
          place.how = event.how;
          if (event.how === 'is asked in full') {
            await store.writing
              .updateTable('sync_status')
              .set({ full_request: 'somebody' })
              .where('source_id', '=', source.id)
              .execute();
          }
          const before = [await rowsOf(source.id), (await statusOf(source.id)).cursor];
          const record = await sync(source);
          if (event.how === 'fails in the middle') {
            expect(record.outcome).to.equal('failed');
            expect([await rowsOf(source.id), (await statusOf(source.id)).cursor]).to.deep.equal(before);
            continue;
          }
          expect(record.error).to.equal(undefined);
          if (event.how !== 'well') expect(place.reads.at(-1)).to.equal('in full');
          if (place.reads.at(-1) === 'changes') {
            for (const { scope, key, now } of place.told) {
              // What moved out of a part that cannot be read now is the other part's, also when it leaves that.
              if (now === undefined && isScoped && expected.get(key)?.scope !== scope) continue;
              if (now === undefined || now.text === 'bad') expected.delete(key);
              else expected.set(key, now);
            }
          }
          for (const [key, kept] of expected) if (!place.spoiled.has(kept.scope)) expected.delete(key);
          for (const [key, kept] of place.entries) {
            if (place.spoiled.has(kept.scope)) continue;
            if (kept.text === 'bad') {
              // Its part tells that it is there, and that it is no good; not again where nothing changed since it was read.
              if (place.reads.at(-1) === 'changes' && place.shown.has(key)) expected.delete(key);
            } else expected.set(key, kept);
          }
          await requireWhole(source, expected, isScoped);
          if (place.spoiled.size === 0) {
            const bad = [...place.entries.values()].filter(({ text }) => text === 'bad');
            expect((await statusOf(source.id)).skipped_count).to.equal(bad.length);
          }
        }
      }
    };

    const kept = (name: string): Kept => ({ name, version: '1.0.0', scope: 'a', text: `about ${name}` });
    const namesOf = async ({ id }: SyncedSource) => (await rowsOf(id)).map(({ name }) => name).toSorted();

    it('runs a full sync when a change has an existing name in other letter case', async () => {
      const place = new Place(false);
      const source = await open(place);
      for (const name of ['acme/files', 'acme/notes']) place.put(kept(name));
      await sync(source);
      // The log of the place does not say that the first one is no more.
      place.entries.delete('acme/files@1.0.0');
      place.put(kept('acme/Files'));
      place.put({ ...kept('acme/notes'), text: 'changed' });
      expect((await sync(source)).outcome).to.equal('changed');
      expect(await namesOf(source)).to.deep.equal(['acme/Files', 'acme/notes']);
      expect(place.reads).to.deep.equal(['in full', 'changes', 'in full']);
      place.put({ ...kept('acme/Files'), text: 'changed' });
      await sync(source);
      expect(place.reads.slice(3), 'a name that is known is changed as any other').to.deep.equal(['changes']);
    });

    it('keeps its entries when that full sync fails', async () => {
      const place = new Place(false);
      const source = await open(place);
      place.put(kept('acme/files'));
      await sync(source);
      place.put(kept('acme/Files'));
      const readEntries = place.readEntries.bind(place);
      place.readEntries = async function* () {
        place.reads.push('fails');
        yield* [];
        throw new Error('the connection broke');
      };
      expect((await sync(source)).outcome).to.equal('failed');
      expect(await namesOf(source)).to.deep.equal(['acme/files']);
      place.readEntries = readEntries;
      expect((await sync(source)).outcome).to.equal('changed');
      // A place that has both shows both: only the list of a registry may not have two.
      expect(await namesOf(source)).to.deep.equal(['acme/Files', 'acme/files']);
    });

    for (const isScoped of [false, true]) {
      it(`has the entries of a simple model, ${isScoped ? 'with' : 'without'} scopes, after any events`, async function () {
        this.timeout(limitMs(120_000));
        await fc.assert(
          fc.asyncProperty(events(isScoped), (list) => follow(list, isScoped)),
          {
            ...trials({ short: 15, long: 400 }),
            examples: isScoped ? [[MOVED_AND_GONE], [MOVED_AND_BAD]] : [],
          },
        );
      });
    }
  });
});
