import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChangeItem,
  isPortolanError,
  type PortolanError,
  type ReadItem,
  type ReadSurroundings,
  type SkippedEntry,
  type Source,
  type SourceEntry,
} from '@portolan/plugin-api';
import { type Deadline, inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { readSurroundings } from '../read-surroundings.ts';
import { createTestContext } from '../test-context.ts';
import type { SourceUnderTest } from './source-under-test.ts';

export type Item = SourceEntry | SkippedEntry;

/** A source that is tried: an instance, and what it is told with each read. */
export interface SourceInUse {
  readonly source: Source;
  readonly surroundings: ReadSurroundings;
  /** Path of its scratch folder, which is there when the source has asked for it. */
  readonly scratch: string;
}

/** Makes an instance, hands it to the action, closes it, and sees that nothing stays open. */
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

/** The same with a scratch folder that somebody else makes and removes. */
export async function useSourceWith(
  scratch: string,
  options: Pick<SourceUnderTest, 'create' | 'withinMs'>,
  action: (used: SourceInUse) => Promise<void>,
): Promise<void> {
  await leavesNothingOpen(async () => {
    const source = await options.create(createTestContext());
    try {
      await action({ source, surroundings: readSurroundings(scratch), scratch });
    } finally {
      await source.close?.();
    }
  }, options);
}

/** Everything that a full read yields, to the end. */
export async function readItems(
  { source, surroundings }: SourceInUse,
  deadline: Deadline,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ReadItem[]> {
  return inTime('the end of readEntries', collect(source.readEntries(signal, surroundings)), deadline);
}

/** Everything a source has, read to the end. */
export async function readAll(
  used: SourceInUse,
  deadline: Deadline,
  signal?: AbortSignal,
): Promise<readonly Item[]> {
  return (await readItems(used, deadline, signal)).filter(isEntry);
}

/** Everything that is told of the changes since a cursor, to the end. */
export async function readChangeItems(
  { source, surroundings }: SourceInUse,
  since: string,
  deadline: Deadline,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ChangeItem[]> {
  const changes = source.readChanges?.(since, signal, surroundings);
  return inTime('the end of readChanges', collect(changes ?? none()), deadline);
}

export async function fingerprintOf(
  { source, surroundings }: SourceInUse,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  return await source.fingerprint?.(signal, surroundings);
}

/** The error that reading throws; throws itself when it throws none, or one without code and hint. */
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
  // A source without `readChanges` has none to tell.
}
