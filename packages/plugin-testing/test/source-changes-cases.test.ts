import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  ChangeItem,
  ConfigBlock,
  ReadItem,
  ReadContext,
  Source,
  SourceEntry,
  SourceKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { sourceCases, sourceContract, type SourceUnderTest } from '../src/index.ts';

const config = {
  type: 'object',
  description: 'Shelves of one building.',
  properties: { host: { type: 'string', default: 'shelves.acme.example', description: 'Where they stand.' } },
} as const satisfies ConfigBlock;

/** Rows on shelves, and everything that happened to them. */
class Building {
  readonly log: { readonly shelf: string; readonly name: string; readonly version: string }[] = [];
  readonly rows = new Map<string, { readonly shelf: string; readonly version: string }>();
  readonly locked = new Set<string>();

  constructor() {
    this.put('low', 'one', '1.0.0');
    this.put('low', 'two', '1.0.0');
    this.put('high', 'three', '1.0.0');
  }

  put(shelf: string, name: string, version: string): void {
    this.remove(name);
    this.rows.set(name, { shelf, version });
    this.log.push({ shelf, name, version });
  }

  remove(name: string): void {
    const row = this.rows.get(name);
    if (row === undefined) return;
    this.rows.delete(name);
    this.log.push({ ...row, name });
  }
}

function entryOf(
  name: string,
  { shelf, version }: { readonly shelf: string; readonly version: string },
): SourceEntry {
  return { type: 'server', document: { name: `acme/${name}`, version }, scope: shelf };
}

/** Keeps every promise; tests below break one at a time. */
class BuildingSource implements Source {
  readonly building: Building;

  constructor(building: Building) {
    this.building = building;
  }

  async *readEntries(signal: AbortSignal, { scratch }: ReadContext): AsyncGenerator<ReadItem> {
    signal.throwIfAborted();
    const file = join(await scratch.open(), 'count');
    await writeFile(file, `${Number(await readFile(file, 'utf8').catch(() => '0')) + 1}`);
    for (const [name, row] of this.building.rows) {
      signal.throwIfAborted();
      if (!this.building.locked.has(row.shelf)) yield entryOf(name, row);
    }
    for (const scope of this.building.locked)
      yield { skipped: `shelf ${scope}`, because: 'It is locked.', scope };
    yield this.scopes();
    yield { cursor: String(this.building.log.length) };
  }

  scopes(): ReadItem {
    const allScopes = ['low', 'high'];
    return { allScopes, completeScopes: allScopes.filter((scope) => !this.building.locked.has(scope)) };
  }

  async *readChanges(since: string, signal: AbortSignal): AsyncGenerator<ChangeItem> {
    signal.throwIfAborted();
    if (!/^\d+$/.test(since)) {
      yield { startOver: 'Nobody has given this cursor.' };
      return;
    }
    for (const { shelf: scope, name, version } of this.building.log.slice(Number(since))) {
      const now = this.building.rows.get(name);
      if (now === undefined) yield { removed: { type: 'server', name: `acme/${name}` }, scope };
      else {
        if (now.version !== version) yield { removed: { type: 'server', name: `acme/${name}`, version } };
        yield entryOf(name, now);
      }
    }
    yield { cursor: String(this.building.log.length) };
  }
}

const kind: SourceKind<typeof config> = {
  kind: 'building',
  config,
  claimsFrom: 'source',
  reaches: ({ host }) => ({ files: [], urls: [], hosts: [{ scheme: 'ssh', host, port: 22, place: 'host' }] }),
  create: () => new BuildingSource(new Building()),
};

/** What is tried, over a building that every case has for itself. */
function underTest(
  make: (building: Building) => Source,
  more: Partial<SourceUnderTest<typeof kind>> = {},
): SourceUnderTest<typeof kind> & { readonly renew: () => void } {
  let building = new Building();
  let changes = 0;
  return {
    name: 'of shelves',
    kind,
    blocks: [{ host: 'shelves.acme.example' }],
    create: () => make(building),
    entries: [...new Building().rows].map(([name, row]) => entryOf(name, row)),
    change: () => building.put('high', 'new', `2.${(changes += 1)}.0`),
    remove: () => building.remove('one'),
    spoilScope: () => {
      building.locked.add('low');
      return 'low';
    },
    withinMs: 1000,
    ...more,
    renew: () => {
      building = new Building();
      changes = 0;
    },
  };
}

describe('sourceContract', () => {
  const options = underTest((building) => new BuildingSource(building));
  beforeEach(() => options.renew());
  sourceContract(options);
});

describe('sourceCases', () => {
  async function fails(options: ReturnType<typeof underTest>, title: string): Promise<boolean> {
    const [only] = sourceCases(options).filter((one) => one.title === title);
    if (only === undefined) throw new TypeError(`there is no case "${title}"`);
    options.renew();
    return await only.run().then(
      () => false,
      () => true,
    );
  }

  /** With another `readChanges` or `readEntries`. */
  const changed =
    (
      change: (
        items: AsyncIterable<ChangeItem>,
        building: Building,
        since: string,
      ) => AsyncIterable<ChangeItem>,
    ) =>
    (building: Building): Source =>
      new (class extends BuildingSource {
        override async *readChanges(...args: Parameters<BuildingSource['readChanges']>) {
          yield* change(super.readChanges(...args), building, args[0]);
        }
      })(building);
  const read =
    (change: (items: AsyncIterable<ReadItem>, building: Building) => AsyncIterable<ReadItem>) =>
    (building: Building): Source =>
      new (class extends BuildingSource {
        override async *readEntries(...args: Parameters<BuildingSource['readEntries']>) {
          yield* change(super.readEntries(...args), building);
        }
      })(building);
  async function* kept<Item>(
    items: AsyncIterable<Item>,
    keeps: (item: Item) => boolean,
  ): AsyncGenerator<Item> {
    for await (const item of items) if (keeps(item)) yield item;
  }
  async function* mapped<Item>(items: AsyncIterable<Item>, map: (item: Item) => Item): AsyncGenerator<Item> {
    for await (const item of items) yield map(item);
  }

  const broken: readonly {
    readonly title: string;
    readonly make: (building: Building) => Source;
    readonly more?: Partial<SourceUnderTest<typeof kind>>;
    readonly breaks: string;
  }[] = [
    {
      title: 'reads changes and gives no cursor',
      make: read((items) => kept(items, (item) => !('cursor' in item))),
      breaks: 'yields a cursor with a full read, if it supports changes',
    },
    {
      title: 'removes what is there when nothing changed',
      make: changed(async function* () {
        yield { removed: { type: 'server', name: 'acme/two' } };
      }),
      breaks: 'yields no change, if it supports changes, while the data is the same',
    },
    {
      title: 'reads nothing from a cursor that it does not know',
      make: changed(async function* (items) {
        for await (const item of items) {
          if ('startOver' in item) return;
          yield item;
        }
      }),
      breaks: 'asks to start over, if it supports changes, for an unknown cursor',
    },
    {
      title: 'ends quietly when it is told to read changes with an aborted signal',
      make: (building) =>
        new (class extends BuildingSource {
          override async *readChanges(...args: Parameters<BuildingSource['readChanges']>) {
            if (!args[1].aborted) yield* super.readChanges(...args);
          }
        })(building),
      breaks: 'throws on a read of changes with an aborted signal',
    },
    {
      title: 'forgets to tell of what is new',
      make: changed((items) => kept(items, (item) => !('document' in item))),
      breaks: 'yields changes, if it supports them, that lead to the same entries as a full read',
    },
    {
      title: 'forgets to tell of what is gone',
      make: changed((items) => kept(items, (item) => !('removed' in item))),
      breaks: 'yields removals as changes, if it supports them',
    },
    {
      title: 'tells each change once',
      make: (building) => {
        const told = new Set<string>();
        return changed(async function* (items, _, since) {
          if (told.has(since)) return;
          told.add(since);
          yield* items;
        })(building);
      },
      breaks: 'yields the same changes again for the same cursor, also through another instance',
    },
    {
      title: 'gives only some entries a scope',
      make: read((items) =>
        mapped(items, (item) => {
          if (!('document' in item) || item.scope !== 'high') return item;
          const { type, document } = item;
          return { type, document };
        }),
      ),
      breaks: 'sets a scope on all of its entries, or on none',
    },
    {
      title: 'does not say which scopes it has read',
      make: read((items) => kept(items, (item) => !('completeScopes' in item))),
      breaks: 'names all scopes, if it has any, and those that it read completely',
    },
    {
      title: 'leaves a scope out of all there are',
      make: read((items) =>
        mapped(items, (item) => ('completeScopes' in item ? { ...item, allScopes: ['low'] } : item)),
      ),
      breaks: 'names all scopes, if it has any, and those that it read completely',
    },
    {
      title: 'calls a scope read that it could not read',
      make: read((items) =>
        mapped(items, (item) =>
          'completeScopes' in item ? { ...item, completeScopes: ['low', 'high'] } : item,
        ),
      ),
      breaks: 'does not report an unreadable scope as read, and gives the reason',
    },
    {
      title: 'says nothing of a scope that it could not read',
      make: read((items) => kept(items, (item) => !('skipped' in item))),
      breaks: 'does not report an unreadable scope as read, and gives the reason',
    },
    {
      title: 'serves what an earlier instance left in its folder',
      make: (building) =>
        new (class extends BuildingSource {
          override async *readEntries(signal: AbortSignal, context: ReadContext) {
            const file = join(await context.scratch.open(), 'count');
            const isSecond = (await readFile(file, 'utf8').catch(() => '')) !== '';
            yield* kept(super.readEntries(signal, context), (item) => !isSecond || !('document' in item));
          }
        })(building),
      breaks: 'reads the same with the scratch folder of an earlier instance, and after it was emptied',
    },
    {
      title: 'fills its folder without end',
      make: (building) =>
        new (class extends BuildingSource {
          override async *readEntries(signal: AbortSignal, context: ReadContext) {
            const { scratch } = context;
            const file = join(await scratch.open(), 'much');
            await writeFile(file, Buffer.alloc(scratch.maxBytes + 1));
            yield* super.readEntries(signal, context);
          }
        })(building),
      breaks: 'stays within the size limit of its scratch folder',
    },
    {
      title: 'fails when its folder was emptied',
      make: (building) => {
        let isRead = false;
        return new (class extends BuildingSource {
          override async *readEntries(signal: AbortSignal, context: ReadContext) {
            if (isRead) await readFile(join(await context.scratch.open(), 'count'));
            isRead = true;
            yield* super.readEntries(signal, context);
          }
        })(building);
      },
      breaks: 'works after its scratch folder was emptied between two reads',
    },
    ...[
      { scheme: 'SSH://', host: 'shelves.acme.example', port: 22 },
      { scheme: 'ssh', host: 'ada@shelves.acme.example', port: 22 },
      { scheme: 'ssh', host: '[::1]', port: 22 },
      { scheme: 'ssh', host: 'shelves.acme.example', port: 0 },
    ].map((host) => ({
      title: `says that it reaches ${JSON.stringify(host)}`,
      make: (building: Building) => new BuildingSource(building),
      more: { kind: { ...kind, reaches: () => ({ files: [], urls: [], hosts: [host] }) } },
      breaks: 'returns the files, hosts and addresses of a block, if it does, in a form that can be checked',
    })),
  ];
  for (const { title, make, more, breaks } of broken) {
    it(`fails for a source that ${title}`, async () => {
      expect(await fails(underTest(make, more), breaks)).to.equal(true);
    });
  }
});
