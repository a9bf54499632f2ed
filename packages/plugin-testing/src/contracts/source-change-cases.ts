import type { ReadItem, SourceKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type Deadline, inTime } from '../eventually.ts';
import type { ContractCase } from './contract-case.ts';
import {
  cursorOf,
  hasScopes,
  readAll,
  readChangeItems,
  readItems,
  scopesOf,
  type SourceInUse,
  SourcePicture,
  type SourceUnderTest,
  useSource,
} from './source-under-test.ts';

const MAX_CURSOR_LENGTH = 65_536;

const UNKNOWN_CURSOR = 'no source has ever yielded this';

/** Returns the test cases for `readChanges`. A source without this method passes them. */
export function changesCases<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
): readonly ContractCase[] {
  const { change, remove } = options;
  return [
    {
      title: 'yields a cursor with a full read, if it supports changes',
      run: () => withChanges(options, async (_, cursor) => void expect(cursor).to.not.equal('')),
    },
    {
      title: 'yields no change, if it supports changes, while the data is the same',
      run: () => withChanges(options, (used) => seesSame(used, options, [])),
    },
    {
      title: 'asks to start over, if it supports changes, for an unknown cursor',
      run: () =>
        withChanges(options, async (used) => {
          const items = await readChangeItems(used, UNKNOWN_CURSOR, options);
          expect(items.at(-1)).to.have.property('startOver').that.is.a('string').and.not.equal('');
        }),
    },
    {
      title: 'throws on a read of changes with an aborted signal',
      run: () => withChanges(options, (used, cursor) => refusesAborted(used, cursor, options)),
    },
    ...(change === undefined
      ? []
      : [
          {
            title: 'yields changes, if it supports them, that lead to the same entries as a full read',
            run: () => withChanges(options, (used) => seesSame(used, options, [change, change])),
          },
          {
            title: 'yields the same changes again for the same cursor, also through another instance',
            run: () => withChanges(options, (used, cursor) => tellsAgain(used, cursor, options, change)),
          },
        ]),
    ...(remove === undefined
      ? []
      : [
          {
            title: 'yields removals as changes, if it supports them',
            run: () =>
              withChanges(options, (used) =>
                seesSame(used, options, change === undefined ? [remove] : [change, remove]),
              ),
          },
        ]),
  ];
}

async function withChanges<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
  action: (used: SourceInUse, cursor: string) => Promise<void>,
): Promise<void> {
  await useSource(options, async (used) => {
    if (used.source.readChanges === undefined) return;
    const cursor = cursorOf(await readItems(used, options));
    expect(cursor, 'cursor of a full read').to.be.a('string').with.length.within(1, MAX_CURSOR_LENGTH);
    await action(used, cursor ?? '');
  });
}

/** Checks after each step that changes lead to the same entries as a full read. */
async function seesSame(
  used: SourceInUse,
  options: SourceUnderTest,
  steps: readonly (() => void | Promise<void>)[],
): Promise<void> {
  const followed = new SourcePicture();
  followed.readInFull(await readItems(used, options));
  for (const step of steps.length === 0 ? [() => undefined] : steps) {
    await step();
    followed.readChanges(await readChangeItems(used, followed.cursor ?? '', options));
    await useSource(options, async (other) => {
      const full = new SourcePicture();
      full.readInFull(await readItems(other, options));
      expect(followed.entries).to.deep.equal(full.entries);
    });
  }
}

async function tellsAgain(
  used: SourceInUse,
  cursor: string,
  options: SourceUnderTest,
  change: () => void | Promise<void>,
): Promise<void> {
  const start = await readItems(used, options);
  await change();
  const pictureAfter = async (reader: SourceInUse): Promise<unknown> => {
    const picture = new SourcePicture();
    picture.readInFull(start);
    picture.readChanges(await readChangeItems(reader, cursor, options));
    return picture.entries;
  };
  const first = await pictureAfter(used);
  // A second read from the same cursor happens when a crash prevents the storage of the first result.
  expect(await pictureAfter(used), 'asked twice').to.deep.equal(first);
  await useSource(options, async (other) => {
    expect(await pictureAfter(other), 'by another instance').to.deep.equal(first);
  });
}

async function refusesAborted(used: SourceInUse, cursor: string, options: SourceUnderTest): Promise<void> {
  let ended = false;
  try {
    await readChangeItems(used, cursor, options, AbortSignal.abort());
    ended = true;
  } catch {
    // A source may reject with any error, because the caller aborted.
  }
  expect(ended, 'reading ended as if nothing had changed').to.equal(false);
}

/** Number of changes before the watch counts as failed. */
const CHANGES = 3;

export function watchingCases<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
): readonly ContractCase[] {
  const { change } = options;
  const ends: ContractCase = {
    title: 'ends a watch, if it has one, when the signal aborts',
    run: () => useSource(options, (used) => watchEnds(used, options)),
  };
  if (change === undefined) return [ends];
  return [
    ends,
    {
      title: 'reports a change, if it has a watch',
      run: () => useSource(options, (used) => tellsChange(used, change, options)),
    },
  ];
}

async function watchEnds(used: SourceInUse, deadline: Deadline): Promise<void> {
  const stop = new AbortController();
  const watch = used.source.watch?.(stop.signal)[Symbol.asyncIterator]();
  if (watch === undefined) return;
  const next = watch.next();
  await readAll(used, deadline);
  stop.abort();
  await inTime('the end of the watch', waitForEnd(next, watch), deadline);
}

/** Waits for the end of a watch. Accepts reports before the end, because a watch may report too often. */
async function waitForEnd(first: Promise<IteratorResult<void>>, watch: AsyncIterator<void>): Promise<void> {
  try {
    for (let turn = await first; turn.done !== true; turn = await watch.next());
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}

async function tellsChange(
  used: SourceInUse,
  change: () => void | Promise<void>,
  deadline: Deadline,
): Promise<void> {
  await readAll(used, deadline);
  const stop = new AbortController();
  const watch = used.source.watch?.(stop.signal)[Symbol.asyncIterator]();
  if (watch === undefined) return;
  const next = watch.next();
  try {
    const turn = await changeUntilSeen(next, change, deadline);
    if (turn.done === true) throw new Error('the watch ended before its signal aborted');
  } finally {
    stop.abort();
    await inTime('the end of the watch', waitForEnd(next, watch), deadline);
  }
}

/** Repeats the change until it is reported, because a watch may take a moment to start. */
async function changeUntilSeen(
  next: Promise<IteratorResult<void>>,
  change: () => void | Promise<void>,
  { withinMs = 20_000 }: Deadline,
): Promise<IteratorResult<void>> {
  for (let round = 1; ; round += 1) {
    await change();
    try {
      return await inTime('a sign of the change', next, { withinMs: withinMs / CHANGES });
    } catch (error) {
      if (round === CHANGES) throw error;
    }
  }
}

const MAX_SCOPE_LENGTH = 500;

/** Returns the test cases for entries with a `scope`. A source without scopes passes them. */
export function scopeCases<Kind extends SourceKind>(options: SourceUnderTest<Kind>): readonly ContractCase[] {
  const { spoilScope } = options;
  return [
    {
      title: 'sets a scope on all of its entries, or on none',
      run: () =>
        useSource(options, async (used) => {
          const items = await readItems(used, options);
          if (!hasScopes(items)) return;
          const entries = items.filter((item) => 'document' in item);
          for (const { scope } of entries) {
            expect(scope, 'scope').to.be.a('string').with.length.within(1, MAX_SCOPE_LENGTH);
          }
        }),
    },
    {
      title: 'names all scopes, if it has any, and those that it read completely',
      run: () => useSource(options, async (used) => requireNamed(await readItems(used, options), undefined)),
    },
    ...(spoilScope === undefined
      ? []
      : [
          {
            title: 'does not report an unreadable scope as read, and gives the reason',
            run: () => tellsScopeFault(options, spoilScope),
          },
        ]),
  ];
}

/** Checks which scopes a read reports as complete. `spoiled` is unreadable and must not be among them. */
function requireNamed(items: readonly ReadItem[], spoiled: string | undefined): void {
  if (!hasScopes(items)) return;
  const { complete, all } = scopesOf(items);
  for (const item of items) {
    if (!('document' in item) || item.scope === undefined) continue;
    expect(all?.has(item.scope) ?? true, `"${item.scope}" among all scopes`).to.equal(true);
    if (item.scope !== spoiled) expect([...complete], 'scopes that were read').to.include(item.scope);
  }
  if (all !== undefined) expect([...all], 'all scopes').to.include.members([...complete]);
}

async function tellsScopeFault<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
  spoilScope: () => string | Promise<string>,
): Promise<void> {
  await useSource(options, async (used) => {
    const picture = new SourcePicture();
    picture.readInFull(await readItems(used, options));
    const before = picture.entries;
    const spoiled = await spoilScope();
    const items = await readItems(used, options);
    requireNamed(items, spoiled);
    expect([...scopesOf(items).complete], 'scopes that were read').to.not.include(spoiled);
    const reportedItems = items.filter((item) => 'skipped' in item && item.scope === spoiled);
    expect(reportedItems, 'reasons for the scope that could not be read').to.have.length.above(0);
    picture.readInFull(items);
    const kept = (entries: typeof before) => entries.filter(({ scope }) => scope === spoiled);
    expect(kept(picture.entries), 'what is kept of it').to.deep.equal(kept(before));
    expect(kept(before), 'what it held before').to.have.length.above(0);
  });
}
