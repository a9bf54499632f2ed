import type { SourceKind } from '@portolan/plugin-api';
import { type Deadline, inTime } from '../eventually.ts';
import type { ContractCase } from './contract-case.ts';
import type { SourceUnderTest } from './source-under-test.ts';
import { readAll, type SourceInUse, useSource } from './use-source.ts';

/** How often the data is changed before a watch counts as deaf. */
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
      title: 'tells of a change, if it can watch',
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
  await inTime('the end of the watch', ended(next, watch), deadline);
}

/** Whether a yield came first does not matter: a watch may tell too often. */
async function ended(first: Promise<IteratorResult<void>>, watch: AsyncIterator<void>): Promise<void> {
  try {
    for (let turn = await first; turn.done !== true; turn = await watch.next());
  } catch (error) {
    // What the signal itself throws is an end as well.
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
    await inTime('the end of the watch', ended(next, watch), deadline);
  }
}

/** Changes the data again when nothing is seen: a watch may take a moment to begin. */
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
