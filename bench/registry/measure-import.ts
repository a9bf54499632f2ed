import { setTimeout as pause } from 'node:timers/promises';
import { LightReader, type ReadTimes } from './light-reader.ts';
import { memoryOf } from './process-figures.ts';
import { waitForEntries } from './start-portolan.ts';
import type { RunningProcess } from './start-process.ts';

export interface ImportFigures {
  /** From the start of the server to the first answer that shows the entries. */
  readonly seconds: number;
  readonly entriesPerSecond: number;
  readonly peakMb: number;
  /** Of reads of another registry meanwhile, from the moment each was due. */
  readonly reads: ReadTimes;
}

/** What follows the commit (a checkpoint, a reload) counts as part of the import for who reads. */
const READ_ON_MS = 1500;

/**
 * Watches a server that was started on an empty database import the registry
 * `large` while somebody reads the registry `small`: fifty reads a second, every
 * second one of a page that no cache has.
 */
export async function measureImport(
  server: RunningProcess,
  names: { readonly small: string; readonly large: string },
  count: number,
): Promise<ImportFigures> {
  await waitForEntries(server, names.small);
  const reader = new LightReader(server, `/registry/${names.small}/v0.1/servers`);
  try {
    await Promise.race([waitForEntries(server, names.large, 300_000), reader.ended]);
    const seconds = (performance.now() - server.startedAt) / 1000;
    await pause(READ_ON_MS);
    return {
      seconds,
      entriesPerSecond: Math.round(count / seconds),
      peakMb: memoryOf(server.pid).peakMb,
      reads: await reader.take(),
    };
  } finally {
    await reader.stop();
  }
}
