import {
  type AdminChange,
  createRegistryAdmin,
  createRegistryReader,
  type RegistryAdmin,
  type RegistryReader,
  type Store,
  type VersionRow,
} from '@portolan/registry';
import { forEachEngine, openTestStore, type TestDatabase } from './engines.ts';

/** What a test of administration works with. */
export class AdminBench {
  readonly engine: string;
  database!: TestDatabase;
  store!: Store;
  admin!: RegistryAdmin;
  reader!: RegistryReader;
  changes: AdminChange[] = [];
  now = new Date('2026-03-01T12:00:00.000Z');
  readonly #others: Store[] = [];

  constructor(engine: string) {
    this.engine = engine;
  }

  adminOf(store: Store): RegistryAdmin {
    return createRegistryAdmin(store, {
      clock: () => this.now,
      maxMetaSize: 100_000,
      changed: (change) => this.changes.push(change),
    });
  }

  /** Another replica; the same store where the engine has one connection only. */
  async other(): Promise<Store> {
    if (this.engine === 'SQLite in memory') return this.store;
    const other = await openTestStore(this.database.config);
    this.#others.push(other);
    return other;
  }

  /** All versions of a registry, `name@version` of type `server`. */
  async rows(registry = 'main'): Promise<readonly VersionRow[]> {
    const known = (await this.reader.catalog()).registries.get(registry);
    if (known === undefined) throw new TypeError('no registry');
    const scope = { registry: known, visible: 'all' } as const;
    return (await this.reader.list(scope, { type: 'server', limit: 1000, includeDeleted: true })).rows;
  }

  async close(): Promise<void> {
    for (const other of this.#others.splice(0)) await other.close();
    await this.store.close();
    await this.database.drop();
  }
}

/** A suite with an empty, migrated database for each test, on every engine. */
export function describeAdmin(title: string, suite: (bench: AdminBench) => void): void {
  forEachEngine((engine) => {
    describe(title, () => {
      const bench = new AdminBench(engine.name);
      beforeEach(async () => {
        bench.database = await engine.make();
        bench.store = await openTestStore(bench.database.config);
        bench.admin = bench.adminOf(bench.store);
        bench.reader = createRegistryReader(bench.store);
        bench.changes = [];
        bench.now = new Date('2026-03-01T12:00:00.000Z');
      });
      afterEach(() => bench.close());
      suite(bench);
    });
  });
}
