import type { VersionRow } from '@portolan/registry';

/** Formats a page of a list. Omits `nextCursor` on the last page. */
export function listJson(
  key: 'servers' | 'skills' | 'plugins',
  rows: readonly VersionRow[],
  toJson: (row: VersionRow) => string,
  nextCursor?: string,
): string {
  const next = nextCursor === undefined ? '' : `,"nextCursor":"${nextCursor}"`;
  return `{"${key}":[${rows.map(toJson).join(',')}],"metadata":{"count":${rows.length}${next}}}\n`;
}
