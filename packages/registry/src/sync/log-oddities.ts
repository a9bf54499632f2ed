import type { Logger } from '@portolan/plugin-api';
import type { EntryWarning, SkippedVersion } from '../store/sync-status.ts';

export interface Oddities {
  readonly skipped: readonly SkippedVersion[];
  readonly warnings: readonly EntryWarning[];
  /** Of both, how many there are in all. */
  readonly count: number;
}

/** Most lines about the entries of one sync; the status of the source has more. */
const MAX_LINES = 20;

/** One line for each entry that was left out, and for each that is odd, with the reason. */
export function logOddities(source: string, logger: Logger, { skipped, warnings, count }: Oddities): void {
  const lines: readonly (() => void)[] = [
    ...skipped.map((one) => () => {
      logger.warn({ source, entry: one.skipped, reason: one.because }, 'entry left out');
    }),
    ...warnings.map((one) => () => {
      logger.warn({ source, entry: one.entry, reason: one.warning }, 'entry has a fault, and is served');
    }),
  ];
  for (const tell of lines.slice(0, MAX_LINES)) tell();
  const more = count - Math.min(lines.length, MAX_LINES);
  if (more > 0)
    logger.warn({ source, more }, 'more entries have faults; the status of the source names them');
}
