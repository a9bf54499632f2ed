import type { EntryStatus } from '@portolan/plugin-api';

/**
 * The version `latest` stands for: the highest that is not deleted, or, when
 * all are, the highest (MCP registry: status changes recompute the flag).
 */
export function highestVersion<Row extends { readonly status: EntryStatus; readonly order_key: string }>(
  versions: readonly Row[],
): Row | undefined {
  const present = versions.filter((row) => row.status !== 'deleted');
  const eligible = present.length > 0 ? present : versions;
  return eligible.reduce<Row | undefined>(
    (best, row) => (best === undefined || best.order_key < row.order_key ? row : best),
    undefined,
  );
}
