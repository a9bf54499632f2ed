import type { EntryStatus } from '@portolan/plugin-api';

interface Rank {
  readonly status: EntryStatus;
  readonly order_key: string;
  /** Whether another registry reports the version as the latest. Undefined when none reports anything. */
  readonly flagged_latest?: 0 | 1 | null;
}

/**
 * Returns the latest version. Versions that another registry reports as latest take precedence. Otherwise it
 * is the highest version that is not deleted or, when all are deleted, the highest.
 */
export function highestVersion<Row extends Rank>(versions: readonly Row[]): Row | undefined {
  const present = versions.filter((row) => row.status !== 'deleted');
  const eligible = present.length > 0 ? present : versions;
  const flagged = eligible.filter((row) => row.flagged_latest === 1);
  return (flagged.length > 0 ? flagged : eligible).reduce<Row | undefined>(
    (best, row) => (best === undefined || best.order_key < row.order_key ? row : best),
    undefined,
  );
}
