import type { EntryStatus } from '@portolan/plugin-api';

/** What decides which version is the latest. */
interface Rank {
  readonly status: EntryStatus;
  readonly order_key: string;
  /** Whether another registry says so; left out: none says anything. */
  readonly flagged_latest?: 0 | 1 | null;
}

/**
 * The version `latest` stands for: the highest that is not deleted, or, when
 * all are, the highest (MCP registry: status changes recompute the flag). Of
 * versions that another registry calls the latest, the highest comes first.
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
