import { type ComponentChildren, type VNode, h } from 'preact';
import type { SyncResponse } from '../parts/api-responses.ts';
import { badge } from '../../layout/parts-of-pages.ts';
import { facts, table, timeText } from '../parts/show.ts';

export function phaseBadge(status: SyncResponse | undefined): VNode {
  if (status === undefined) return badge('not synced', 'plain');
  if (status.phase === 'complete') return badge('complete', 'good');
  if (status.phase === 'held') return badge('held', 'warn');
  return status.phase === 'failed' ? badge('failed', 'bad') : badge('syncing', 'warn');
}

export function countsText({ serverCount, skillCount, pluginCount }: SyncResponse): string {
  return [[serverCount, 'server'] as const, [skillCount, 'skill'] as const, [pluginCount, 'plugin'] as const]
    .filter(([count], at) => count > 0 || at === 0)
    .map(([count, what]) => `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`)
    .join(', ');
}

/** Renders the sync status, including entries that were left out, warnings, and reasons. */
export function statusDetails(status: SyncResponse, now: Date): ComponentChildren {
  const { skipped = [], skippedCount = 0, warnings = [], warningCount = 0 } = status;
  // Only a managed source is complete without ever being read: its entries are published to it.
  if (status.lastAttempt === undefined && status.lastSyncTime === undefined && status.phase === 'complete')
    return facts([['Entries', countsText(status)]]);
  return [
    facts([
      ['Status', phaseBadge(status)],
      ['Message', status.message],
      ['Entries', countsText(status)],
      ['Last good sync', timeText(status.lastGoodTime, now)],
      ['Last sync', timeText(status.lastSyncTime, now)],
      ['Read at', status.revision === undefined ? undefined : h('code', {}, status.revision)],
      [
        'Failed attempts since',
        status.attemptCount === undefined || status.attemptCount === 0
          ? undefined
          : String(status.attemptCount),
      ],
      ['Left out', String(skippedCount)],
      ['Warnings', String(warningCount)],
    ]),
    listed(
      'Entries that were left out',
      ['Entry', 'Because'],
      skippedCount,
      skipped.map((one) => [one.skipped, one.because]),
    ),
    listed(
      'Entries that are served, with a fault',
      ['Entry', 'Fault'],
      warningCount,
      warnings.map((one) => [one.entry, one.warning]),
    ),
  ];
}

function listed(
  title: string,
  head: readonly string[],
  count: number,
  rows: readonly (readonly string[])[],
): ComponentChildren {
  if (rows.length === 0) return undefined;
  const more = count > rows.length ? `, the first ${rows.length} of ${count}` : '';
  return [h('h2', {}, `${title}${more}`), table(title, head, rows)];
}
