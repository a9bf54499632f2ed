import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePolicy } from '@portolan/authorization';
import type {
  EntryType,
  JsonObject,
  Logger,
  ResourceClaims,
  Source,
  SourceEntry,
} from '@portolan/plugin-api';
import {
  createRegistryAdmin,
  openStore,
  reconcileConfig,
  startSyncScheduler,
  type Actor,
  type RegistryAdmin,
  type Store,
  type SyncScheduler,
} from '@portolan/registry';
import { createTestDatabase, type Engine } from '../../support/test-database.ts';
import {
  entryClaims,
  type OracleClaims,
  type OracleRegistry,
  type OracleSource,
} from '../../support/authorization/oracle.ts';
import {
  type DrawnCase,
  type DrawnEntry,
  type DrawnRegistry,
  type DrawnSource,
  SOURCE_NAMES,
  type SourceName,
} from './random-registry.ts';

const HOUR = 3_600_000;
const SYNCED = ['synced-a', 'synced-b', 'labelled-a', 'labelled-b'] as const;
type SyncedName = (typeof SYNCED)[number];

/** Kinds of sources by the origin of the claims of their entries. */
const KINDS = {
  'synced-a': { kind: 'file', claimsFrom: 'source' },
  'synced-b': { kind: 'git', claimsFrom: 'source' },
  'labelled-a': { kind: 'kubernetes', claimsFrom: 'entry' },
  'labelled-b': { kind: 'kubernetes', claimsFrom: 'entry' },
  published: { kind: 'managed', claimsFrom: 'publisher' },
} as const satisfies Record<SourceName, object>;

/** A source with content that a test sets. */
class SettableSource implements Source {
  items: readonly SourceEntry[] = [];

  async *readEntries(): AsyncGenerator<SourceEntry> {
    yield* this.items;
  }
}

/** A registry called "main" on its own database, which gets the random content of one case after another. */
export class SeededRegistry {
  readonly store: Store;
  readonly admin: RegistryAdmin;
  readonly #opened: OpenedStore;
  readonly #instances: Record<SyncedName, SettableSource>;
  readonly #scheduler: SyncScheduler;
  readonly #waiting: Map<string, (outcome: string) => void>;
  #generation = 0;

  private constructor(
    opened: OpenedStore,
    instances: Record<SyncedName, SettableSource>,
    scheduler: SyncScheduler,
    waiting: Map<string, (outcome: string) => void>,
  ) {
    this.store = opened.store;
    this.admin = createRegistryAdmin(opened.store, { clock: () => new Date(), maxMetaSize: 10_000 });
    this.#opened = opened;
    this.#instances = instances;
    this.#scheduler = scheduler;
    this.#waiting = waiting;
  }

  static async open(engine: Engine): Promise<SeededRegistry> {
    const opened = await openEmptyStore(engine);
    const { store } = opened;
    const ids = await reconcileConfig(
      store,
      configuration({ registry: undefined, claims: {}, generation: 0 }),
      new Date(),
    );
    const instances = {
      'synced-a': new SettableSource(),
      'synced-b': new SettableSource(),
      'labelled-a': new SettableSource(),
      'labelled-b': new SettableSource(),
    };
    const waiting = new Map<string, (outcome: string) => void>();
    const scheduler = startSyncScheduler({
      store,
      sources: SYNCED.map((name) => ({
        id: ids.get(name)?.id ?? 0,
        name,
        instance: instances[name],
        claimsFrom: KINDS[name].claimsFrom,
        filter: undefined,
        allowShrink: true,
        intervalMs: HOUR,
      })),
      logger: silent,
      clock: () => new Date(),
      maxMetaSize: 10_000,
      completed: ({ source, outcome, skipped }) => waiting.get(source)?.(`${outcome}, ${skipped} skipped`),
    });
    await scheduler.firstPass;
    return new SeededRegistry(opened, instances, scheduler, waiting);
  }

  /**
   * Makes the stored registry equal to the random one, through the interfaces of operators and publishers.
   */
  async seed({ sources, registry }: Pick<DrawnCase, 'sources' | 'registry'>): Promise<OracleRegistry> {
    this.#generation += 1;
    await this.relabel(claimsBySource(sources), registry);
    await Promise.all(
      SYNCED.filter((name) => registry.sources.includes(name)).map((name) => this.#sync(name, sources[name])),
    );
    const source = this.published;
    if (registry.sources.includes('published'))
      for (const entry of sources.published.entries)
        for (const version of entry.versions)
          await this.admin.publish(OPERATOR, {
            type: entry.type,
            document: documentOf(entry, version),
            // SAFETY: the random claims are valid claims of resources.
            claims: entry.claims as ResourceClaims,
            source,
          });
    return this.expected(sources, claimsBySource(sources), registry);
  }

  /** Current name of the managed source. */
  get published(): string {
    return publishedName(this.#generation);
  }

  /** Applies a new configuration with other claims and another order of sources, without a new read. */
  async relabel(claims: Readonly<Record<SourceName, OracleClaims>>, registry: DrawnRegistry): Promise<void> {
    const wanted = configuration({ registry, claims, generation: this.#generation });
    await reconcileConfig(this.store, wanted, new Date());
  }

  /** Returns the expected content of the registry as input of the oracle. */
  expected(
    sources: Readonly<Record<SourceName, DrawnSource>>,
    claims: Readonly<Record<SourceName, OracleClaims>>,
    registry: DrawnRegistry,
  ): OracleRegistry {
    return {
      claims: registry.claims,
      publicClaims: registry.publicClaims,
      sources: registry.sources.map((name): OracleSource => {
        const stored = name === 'published' ? this.published : name;
        return {
          name: stored,
          versions: sources[name].entries.flatMap((entry) =>
            entry.versions.map((version) => ({
              type: entry.type,
              name: entry.name,
              version,
              texts: [entry.name, titleOf(entry), ABOUT],
              claims: entryClaims(KINDS[name].kind, claims[name], entry.claims),
            })),
          ),
        };
      }),
    };
  }

  async close(): Promise<void> {
    await this.#scheduler.stop();
    await this.#opened.remove();
  }

  async #sync(name: SyncedName, { entries }: DrawnSource): Promise<void> {
    this.#instances[name].items = entries.flatMap((entry) =>
      entry.versions.map((version): SourceEntry => {
        const document = documentOf(entry, version);
        // SAFETY: the random claims are valid claims of resources.
        const claims = entry.claims as ResourceClaims;
        return { type: entry.type, document, ...(KINDS[name].claimsFrom === 'entry' ? { claims } : {}) };
      }),
    );
    const outcome = await new Promise<string>((resolve) => {
      this.#waiting.set(name, resolve);
      this.#scheduler.trigger(name);
    });
    if (outcome.startsWith('failed') || !outcome.endsWith(' 0 skipped'))
      throw new TypeError(`the sync of ${name} is expected to take everything: ${outcome}`);
  }
}

interface OpenedStore {
  readonly store: Store;
  /** Closes the registry and removes its database. */
  remove(): Promise<void>;
}

/** A superAdmin, who publishes the random entries, also those without claims. */
const OPERATOR: Actor = {
  policy: choosePolicy({ identifies: true, authz: { roles: {} } }),
  caller: { subject: 'operator', claims: {}, roles: ['superAdmin'] },
};

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

async function openEmptyStore(engine: Engine): Promise<OpenedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  const database = await createTestDatabase(engine, folder);
  const store = await openStore(
    {
      url: database.url,
      maxOpenConns: 10,
      maxIdleConns: 0,
      connMaxLifetime: '5m',
      maxMetaSize: 262_144,
      migrateOnStart: true,
    },
    { directory: folder, environment: {}, logger: silent, connMaxLifetimeMs: 300_000 },
  );
  await store.migrations.up();
  return {
    store,
    async remove() {
      await store.close();
      await database.remove();
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * Every case has its own managed source, so that the publications of the previous case disappear with theirs.
 */
function publishedName(generation: number): string {
  return `published-${generation}`;
}

function claimsBySource(
  sources: Readonly<Record<SourceName, DrawnSource>>,
): Record<SourceName, OracleClaims> {
  return {
    'synced-a': sources['synced-a'].claims,
    'synced-b': sources['synced-b'].claims,
    'labelled-a': sources['labelled-a'].claims,
    'labelled-b': sources['labelled-b'].claims,
    published: sources.published.claims,
  };
}

function configuration(from: {
  readonly registry: DrawnRegistry | undefined;
  readonly claims: Readonly<Partial<Record<SourceName, OracleClaims>>>;
  readonly generation: number;
}): Parameters<typeof reconcileConfig>[1] {
  const { registry, claims, generation } = from;
  const nameOf = (name: SourceName): string => (name === 'published' ? publishedName(generation) : name);
  return {
    sources: SOURCE_NAMES.map((name) => ({
      name: nameOf(name),
      ...KINDS[name],
      block: {},
      publicBlock: {},
      intervalMs: name === 'published' ? undefined : HOUR,
      filter: undefined,
      allowShrink: true,
      // SAFETY: the random claims are valid claims of resources.
      claims: (claims[name] ?? {}) as ResourceClaims,
    })),
    registries: (registry === undefined ? [] : [registry]).map((one) => ({
      name: 'main',
      sources: one.sources.map(nameOf),
      // SAFETY: the random claims are valid claims of resources.
      claims: one.claims as ResourceClaims,
      public: one.publicClaims !== undefined,
      publicClaims: one.publicClaims as ResourceClaims | undefined,
    })),
  };
}

const ABOUT = 'Of no interest';

function titleOf({ word }: Pick<DrawnEntry, 'word'>): string {
  return `Of ${word} it is`;
}

/** Returns the document of one version, as a publisher or a source provides it. */
export function documentOf(entry: Omit<DrawnEntry, 'versions' | 'claims'>, version: string): JsonObject {
  const common = { version, title: titleOf(entry), description: ABOUT };
  if (entry.type === 'server') {
    return {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      name: entry.name,
      ...common,
    };
  }
  const [namespace, name] = splitName(entry.type, entry.name);
  return { namespace, name, ...common };
}

function splitName(type: EntryType, name: string): readonly [string, string] {
  const [namespace, bare] = name.split('/');
  if (namespace === undefined || bare === undefined) throw new TypeError(`no name of a ${type}: ${name}`);
  return [namespace, bare];
}
