import type { SourceKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import { cursorOf, SourcePicture } from './source-picture.ts';
import type { SourceUnderTest } from './source-under-test.ts';
import { readChangeItems, readItems, type SourceInUse, useSource } from './use-source.ts';

const MAX_CURSOR_LENGTH = 65_536;

/** No source ever gave this one. */
const UNKNOWN_CURSOR = 'no source has ever yielded this';

/** What `readChanges` promises; a source without it keeps all of it. */
export function changesCases<Kind extends SourceKind>(
  options: SourceUnderTest<Kind>,
): readonly ContractCase[] {
  const { change, remove } = options;
  return [
    {
      title: 'yields a cursor with a full read, if it reads changes',
      run: () => withChanges(options, async (_, cursor) => void expect(cursor).to.not.equal('')),
    },
    {
      title: 'tells nothing new, if it reads changes, while nothing changed',
      run: () => withChanges(options, (used) => seesSame(used, options, [])),
    },
    {
      title: 'starts over, if it reads changes, from a cursor that it does not know',
      run: () =>
        withChanges(options, async (used) => {
          const items = await readChangeItems(used, UNKNOWN_CURSOR, options);
          expect(items.at(-1)).to.have.property('startOver').that.is.a('string').and.not.equal('');
        }),
    },
    {
      title: 'throws when it is told to read changes with an aborted signal',
      run: () => withChanges(options, (used, cursor) => refusesAborted(used, cursor, options)),
    },
    ...(change === undefined
      ? []
      : [
          {
            title: 'tells by changes, if it reads them, what a full read would',
            run: () => withChanges(options, (used) => seesSame(used, options, [change, change])),
          },
          {
            title: 'tells the same changes again from the same cursor, also to another instance',
            run: () => withChanges(options, (used, cursor) => tellsAgain(used, cursor, options, change)),
          },
        ]),
    ...(remove === undefined
      ? []
      : [
          {
            title: 'tells by changes, if it reads them, what is gone',
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

/** After each step, the changes applied to what was known have to give what a full read gives. */
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
  // As after a crash between the read and the moment at which it is kept.
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
    // Whatever it throws: an abort needs no code of its own.
  }
  expect(ended, 'reading ended as if nothing had changed').to.equal(false);
}
