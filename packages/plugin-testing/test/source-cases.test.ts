import {
  type ConfigBlock,
  PortolanError,
  type SkippedEntry,
  type Source,
  type SourceEntry,
  type SourceKind,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { sourceCases, sourceContract } from '../src/index.ts';

const config = {
  type: 'object',
  description: 'Entries kept in memory.',
  properties: { size: { type: 'integer', default: 2, description: 'How many.' } },
} as const satisfies ConfigBlock;

const entries: readonly (SourceEntry | SkippedEntry)[] = [
  { type: 'server', document: { name: 'dev.acme/one' } },
  { type: 'server', document: { name: 'dev.acme/two' } },
  { skipped: 'three', because: 'It has no name.' },
];

/** Data in memory, with a bell that rings when it changes. */
interface Shelf {
  items: readonly (SourceEntry | SkippedEntry)[] | undefined;
  readonly bell: EventTarget;
}

function change(shelf: Shelf): void {
  shelf.items = [...(shelf.items ?? []), { type: 'skill', document: { name: `n${shelf.items?.length}` } }];
  shelf.bell.dispatchEvent(new Event('change'));
}

/** A source that keeps every promise; tests below break one at a time. */
class ShelfSource implements Source {
  readonly shelf: Shelf;

  constructor(shelf: Shelf) {
    this.shelf = shelf;
  }

  async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
    signal.throwIfAborted();
    if (this.shelf.items === undefined)
      throw new PortolanError('ERR_SHELF', 'fault', 'It is empty.', { hint: 'Fill it.' });
    for (const item of this.shelf.items) {
      signal.throwIfAborted();
      yield item;
    }
  }

  async fingerprint(_signal: AbortSignal): Promise<string> {
    return String(this.shelf.items?.length);
  }

  async *watch(signal: AbortSignal): AsyncGenerator<void, void> {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        this.shelf.bell.addEventListener('change', () => resolve(), { once: true });
      });
      if (!signal.aborted) yield;
    }
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}

const shelfKind: SourceKind<typeof config> = {
  kind: 'shelf',
  config,
  claimsFrom: 'source',
  check: ({ size }) =>
    size < 10 ? [] : [{ place: 'size', found: String(size), expected: 'less than fits on a shelf' }],
  create: () => new ShelfSource({ items: entries, bell: new EventTarget() }),
};

describe('sourceContract', () => {
  let shelf: Shelf;
  beforeEach(() => {
    shelf = { items: entries, bell: new EventTarget() };
  });

  sourceContract({
    name: 'of a good source',
    kind: shelfKind,
    blocks: [{ size: 9 }],
    create: () => new ShelfSource(shelf),
    entries,
    change: () => change(shelf),
    spoil: () => {
      shelf.items = undefined;
    },
  });
});

/** A source with nothing but what every source must have. */
function readOnly(shelf: Shelf): Source {
  const whole = new ShelfSource(shelf);
  return { readEntries: (signal) => whole.readEntries(signal) };
}

describe('sourceCases', () => {
  /** Titles of the cases that a source does not pass, of all or of those that are named. */
  async function failing(
    make: (shelf: Shelf) => Source,
    { kind = shelfKind, only }: { kind?: SourceKind | undefined; only?: string } = {},
  ): Promise<readonly string[]> {
    let shelf: Shelf = { items: entries, bell: new EventTarget() };
    const cases = sourceCases({
      name: 'broken',
      kind,
      blocks: [{ size: 3 }],
      create: () => make(shelf),
      entries,
      change: () => change(shelf),
      spoil: () => {
        shelf.items = undefined;
      },
      withinMs: 300,
    });
    const titles: string[] = [];
    for (const { title, run } of cases.filter((one) => only === undefined || one.title === only)) {
      shelf = { items: entries, bell: new EventTarget() };
      await run().catch(() => titles.push(title));
    }
    return titles;
  }

  let checks = 0;
  const broken: readonly {
    title: string;
    make: (shelf: Shelf) => Source;
    kind?: SourceKind;
    fails: string;
  }[] = [
    {
      title: 'forgets an entry',
      make: (shelf) =>
        new (class extends ShelfSource {
          override async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
            let first = true;
            for await (const item of super.readEntries(signal)) {
              if (!first) yield item;
              first = false;
            }
          }
        })(shelf),
      fails: 'yields the declared entries, then ends',
    },
    {
      title: 'labels entries although the kind does not say so',
      make: (shelf) =>
        new (class extends ShelfSource {
          override async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
            for await (const item of super.readEntries(signal)) {
              yield 'skipped' in item ? item : { ...item, claims: { org: 'acme' } };
            }
          }
        })(shelf),
      fails: 'yields claims only when its kind declares labels for each entry',
    },
    {
      title: 'changes its answer from read to read',
      make: (shelf) => {
        let reads = 0;
        return new (class extends ShelfSource {
          override async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
            reads += 1;
            for await (const item of super.readEntries(signal)) yield { ...item, place: `read ${reads}` };
          }
        })(shelf);
      },
      fails: 'yields the same on a second read',
    },
    {
      title: 'ends quietly when aborted',
      make: (shelf) =>
        new (class extends ShelfSource {
          override async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
            for (const item of this.shelf.items ?? []) {
              if (signal.aborted) return;
              yield item;
            }
          }
        })(shelf),
      fails: 'stops soon after the signal aborts, with an error',
    },
    {
      title: 'leaves a timer running when the reader leaves',
      make: (shelf) => {
        let timer: NodeJS.Timeout | undefined;
        return new (class extends ShelfSource {
          override async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
            timer = setTimeout(() => undefined, 2000);
            yield* super.readEntries(signal);
            clearTimeout(timer);
          }
        })(shelf);
      },
      fails: 'closes what it opened when the reader leaves early',
    },
    {
      title: 'gives another fingerprint every time',
      make: (shelf) => {
        let asked = 0;
        return new (class extends ShelfSource {
          override async fingerprint(): Promise<string> {
            asked += 1;
            return String(asked);
          }
        })(shelf);
      },
      fails: 'returns a fingerprint, if any, that stays the same while the data does',
    },
    {
      title: 'gives the same fingerprint for other data',
      make: (shelf) =>
        new (class extends ShelfSource {
          override async fingerprint(): Promise<string> {
            return 'always';
          }
        })(shelf),
      fails: 'yields other entries and another fingerprint after a change',
    },
    {
      title: 'is empty instead of failing',
      make: (shelf) =>
        new (class extends ShelfSource {
          override async *readEntries(signal: AbortSignal): AsyncGenerator<SourceEntry | SkippedEntry, void> {
            if (this.shelf.items !== undefined) yield* super.readEntries(signal);
          }
        })(shelf),
      fails: 'throws an error with a code and a hint when the data is unreadable',
    },
    {
      title: 'cannot be closed twice',
      make: (shelf) => {
        let closed = false;
        return new (class extends ShelfSource {
          override async close(): Promise<void> {
            if (closed) throw new Error('closed already');
            closed = true;
          }
        })(shelf);
      },
      fails: 'can be closed twice, and without a read',
    },
    {
      title: 'stops watching after the first event',
      make: (shelf) =>
        new (class extends ShelfSource {
          override async *watch(): AsyncGenerator<void, void> {
            // Ends at once.
          }
        })(shelf),
      fails: 'reports a change, if it has a watch',
    },
    {
      title: 'goes on watching after the abort',
      make: (shelf) =>
        new (class extends ShelfSource {
          override async *watch(): AsyncGenerator<void, void> {
            await new Promise(() => undefined);
            yield;
          }
        })(shelf),
      fails: 'ends a watch, if it has one, when the signal aborts',
    },
    {
      title: 'has a name with a space',
      make: (shelf) => new ShelfSource(shelf),
      kind: { ...shelfKind, kind: 'My Shelf' },
      fails: 'has a name of lower-case letters, digits and hyphens',
    },
    ...[
      {
        title: 'changes the block that it checks',
        check: (block: object) => {
          Reflect.set(block, 'size', 4);
          if (Reflect.get(block, 'size') !== 4) throw new Error('it cannot be changed');
          return [];
        },
      },
      {
        title: 'finds another problem each time',
        check: () => [{ place: 'size', found: String((checks += 1)), expected: 'less' }],
      },
      { title: 'answers with no list', check: () => undefined },
      { title: 'answers with something else than problems', check: () => ['size'] },
      { title: 'leaves out what was expected', check: () => [{ place: 'size', found: 'this' }] },
      {
        title: 'names a place that is none',
        check: () => [{ place: 'size..', found: 'this', expected: 'that' }],
      },
      {
        title: 'names a place that its config block does not have',
        check: () => [{ place: 'sise', found: 'this', expected: 'that' }],
      },
    ].map(({ title, check }) => ({
      title,
      make: (shelf: Shelf) => new ShelfSource(shelf),
      kind: { ...shelfKind, check } as SourceKind, // not all of them are what they should be
      fails: 'checks a block, if it does, without changing it, and with the same result each time',
    })),
    {
      title: 'finds a problem in a block that can be used',
      make: (shelf) => new ShelfSource(shelf),
      kind: { ...shelfKind, check: () => [{ place: '', found: 'this', expected: 'that' }] },
      fails: 'finds no problem, if it checks, in a valid block',
    },
    {
      title: 'has a field without a description',
      make: (shelf) => new ShelfSource(shelf),
      kind: { ...shelfKind, config: { ...config, properties: { size: { type: 'integer' } } } },
      fails: 'has a config block that is an object, with every field described and every default fitting',
    },
  ];
  for (const { title, make, kind, fails } of broken) {
    it(`fails for a source that ${title}`, async () => {
      expect(await failing(make, { kind, only: fails })).to.deep.equal([fails]);
    });
  }

  it('passes for a source with only readEntries', async () => {
    expect(await failing(readOnly)).to.deep.equal([]);
  });
});
