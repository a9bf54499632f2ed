import {
  isPortolanError,
  type PortolanError,
  type SkippedEntry,
  type Source,
  type SourceEntry,
} from '@portolan/plugin-api';
import { type Deadline, inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import type { SourceUnderTest } from './source-under-test.ts';

export type Item = SourceEntry | SkippedEntry;

/** Makes an instance, hands it to the action, closes it, and sees that nothing stays open. */
export async function useSource(
  options: Pick<SourceUnderTest, 'create' | 'withinMs'>,
  action: (source: Source) => Promise<void>,
): Promise<void> {
  await leavesNothingOpen(async () => {
    const source = await options.create(createTestContext());
    try {
      await action(source);
    } finally {
      await source.close?.();
    }
  }, options);
}

/** Everything a source has, read to the end. */
export async function readAll(
  source: Source,
  deadline: Deadline,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly Item[]> {
  return inTime('the end of readEntries', collect(source.readEntries(signal)), deadline);
}

/** The error that reading throws; throws itself when it throws none, or one without code and hint. */
export async function readFault(source: Source, deadline: Deadline): Promise<PortolanError> {
  let thrown: unknown;
  try {
    await readAll(source, deadline);
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

async function collect(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
