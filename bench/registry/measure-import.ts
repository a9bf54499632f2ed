import { setTimeout as pause } from 'node:timers/promises';
import { LightReader, type ReadTimes } from './light-reader.ts';
import { memoryOf } from './process-figures.ts';
import { waitForEntries } from './start-portolan.ts';
import type { RunningProcess } from './start-process.ts';

export interface ImportFigures {
  /** Time from server start to the first response with the entries. */
  readonly seconds: number;
  readonly entriesPerSecond: number;
  readonly peakMb: number;
  /** Latencies of reads of another registry during the import, from their scheduled times. */
  readonly reads: ReadTimes;
}

/** Time after the commit that counts as part of the import, because a checkpoint and a reload follow it. */
const READ_ON_MS = 1500;

/**
 * Imports the registry `large` into an empty database, while a reader requests fifty pages a second of the
 * registry `small`, half of them uncached.
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
