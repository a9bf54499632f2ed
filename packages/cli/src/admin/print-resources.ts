import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import { listOf, memberOf, textOf } from '@portolan/entry-format';
import { printClaims } from '../publish/parse-claims.ts';
import { formatTable } from '../terminal/format/format-table.ts';
import { printable } from '../terminal/printable.ts';
import { syncFailed } from './admin-errors.ts';

export function printSources(sources: readonly JsonObject[]): string {
  if (sources.length === 0) return 'There are no sources that you may see';
  const rows = sources.map((source) => {
    const status = memberOf(source, 'syncStatus');
    const skipped = numberOf(status, 'skippedCount');
    return [
      textOf(source, 'name') ?? '',
      textOf(source, 'type') ?? '',
      madeBy(source),
      textOf(status, 'phase') ?? '-',
      status === undefined ? '-' : String(countOf(status)),
      skipped === 0 ? '-' : String(skipped),
      textOf(status, 'lastGoodTime')?.slice(0, 19) ?? '-',
    ];
  });
  return formatTable(['name', 'kind', 'origin', 'status', 'entries', 'skipped', 'good sync'], rows);
}

export function printSource(source: JsonObject): string {
  const status = memberOf(source, 'syncStatus');
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['name', textOf(source, 'name')],
    ['kind', textOf(source, 'type')],
    ['origin', madeBy(source)],
    ['settings', compact(memberOf(source, 'sourceConfig'))],
    ['filter', compact(memberOf(source, 'filterConfig'))],
    ['interval', textOf(source, 'syncSchedule')],
    ['claims', claimsOf(source)],
    ...(status === undefined ? [] : statusRows(status)),
  ];
  return [...lines(rows), ...reasons(status)].join('\n');
}

function statusRows(status: unknown): readonly (readonly [string, string | undefined])[] {
  const failures = numberOf(status, 'attemptCount');
  return [
    ['status', [textOf(status, 'phase'), textOf(status, 'message')].filter((text) => text).join(': ')],
    ['last sync', textOf(status, 'lastSyncTime')],
    ['good sync', textOf(status, 'lastGoodTime')],
    ['revision', textOf(status, 'revision')],
    ['failures', failures === 0 ? undefined : String(failures)],
    [
      'entries',
      `${numberOf(status, 'serverCount')} servers, ${numberOf(status, 'skillCount')} skills, ${numberOf(status, 'pluginCount')} plugins`,
    ],
  ];
}

/** Returns lines about the entries that a sync skipped and its warnings, with the reasons. */
function reasons(status: unknown): readonly string[] {
  const part = (title: string, count: number, key: string, what: string, why: string): readonly string[] => {
    const shown = listOf(status, key).map(
      (item) => `  ${printable(textOf(item, what) ?? '')}: ${printable(textOf(item, why) ?? '')}`,
    );
    const more = count - shown.length;
    return count === 0
      ? []
      : ['', `${title} (${count})`, ...shown, ...(more > 0 ? [`  and ${more} more`] : [])];
  };
  return [
    ...part('Skipped', numberOf(status, 'skippedCount'), 'skipped', 'skipped', 'because'),
    ...part('Warnings', numberOf(status, 'warningCount'), 'warnings', 'entry', 'warning'),
  ];
}

export function printRegistries(registries: readonly JsonObject[]): string {
  if (registries.length === 0) return 'There are no registries that you may see';
  const rows = registries.map((registry) => [
    textOf(registry, 'name') ?? '',
    madeBy(registry),
    memberOf(registry, 'public') === true ? 'yes' : '-',
    sourcesOf(registry),
    claimsOf(registry) ?? '-',
  ]);
  return formatTable(['name', 'origin', 'public', 'sources', 'claims'], rows);
}

export function printRegistry(registry: JsonObject): string {
  return lines([
    ['name', textOf(registry, 'name')],
    ['origin', madeBy(registry)],
    ['public', memberOf(registry, 'public') === true ? 'yes' : undefined],
    ['sources', sourcesOf(registry)],
    ['claims', claimsOf(registry)],
    ['changed', textOf(registry, 'updatedAt')],
  ]).join('\n');
}

/** Returns ` with its 12 entries` for a confirmation question; an empty text for a source without entries. */
export function countEntries(source: JsonObject): string {
  const count = countOf(memberOf(source, 'syncStatus'));
  return count === 0 ? '' : ` with its ${count} ${count === 1 ? 'entry' : 'entries'}`;
}

export function progressOf(source: JsonObject): string {
  const phase =
    textOf(memberOf(source, 'syncStatus'), 'phase') === 'syncing' ? 'is syncing' : 'waits for its sync';
  return `${printable(textOf(source, 'name') ?? '')} ${phase}`;
}

/** Throws ERR_SYNC_FAILED for a source whose last sync failed or is on hold. */
export function requireRead(name: string, source: JsonObject): void {
  const status = memberOf(source, 'syncStatus');
  if (['failed', 'held'].includes(textOf(status, 'phase') ?? ''))
    throw syncFailed(name, printable(textOf(status, 'message') ?? 'the server states no reason'));
}

function countOf(status: unknown): number {
  return ['serverCount', 'skillCount', 'pluginCount'].reduce((sum, key) => sum + numberOf(status, key), 0);
}

function lines(rows: readonly (readonly [string, string | undefined])[]): readonly string[] {
  return rows.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name.padEnd(10)}  ${printable(value)}`],
  );
}

function madeBy(resource: unknown): string {
  return textOf(resource, 'creationType') === 'API' ? 'API' : 'file';
}

function sourcesOf(registry: unknown): string {
  return listOf(registry, 'sources').map(String).join(', ');
}

function claimsOf(resource: unknown): string | undefined {
  const claims = memberOf(resource, 'claims');
  return isJsonObject(claims) && Object.keys(claims).length > 0 ? printClaims(claims) : undefined;
}

function compact(value: unknown): string | undefined {
  return isJsonObject(value) && Object.keys(value).length > 0 ? JSON.stringify(value) : undefined;
}

function numberOf(value: unknown, key: string): number {
  const member = memberOf(value, key);
  return typeof member === 'number' ? member : 0;
}
