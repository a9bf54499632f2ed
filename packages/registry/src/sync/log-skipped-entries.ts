import type { Logger } from '@portolan/plugin-api';
import type { EntryWarning, SkippedVersion } from '../store/sync-status.ts';

export interface Oddities {
  readonly skipped: readonly SkippedVersion[];
  readonly warnings: readonly EntryWarning[];
  /** Total number of skipped entries and warnings, including those not listed. */
  readonly count: number;
}

/** Maximum number of log lines per sync. The source's status lists more. */
const MAX_LINES = 20;

export function logSkippedEntries(
  source: string,
  logger: Logger,
  { skipped, warnings, count }: Oddities,
): void {
  const lines: readonly (() => void)[] = [
    ...skipped.map((one) => () => {
      logger.warn({ source, entry: one.skipped, reason: one.because }, 'entry skipped');
    }),
    ...warnings.map((one) => () => {
      logger.warn({ source, entry: one.entry, reason: one.warning }, 'entry has a fault, but is served');
    }),
  ];
  for (const tell of lines.slice(0, MAX_LINES)) tell();
  const more = count - Math.min(lines.length, MAX_LINES);
  if (more > 0)
    logger.warn({ source, more }, 'more entries have faults; the status of the source names them');
}
