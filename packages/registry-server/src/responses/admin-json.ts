import type { EntryType } from '@portolan/plugin-api';
import type {
  RegistryEntryRecord,
  SourceEntryRecord,
  StoredRegistry,
  StoredSource,
  SyncStatus,
  VersionRow,
} from '@portolan/registry';
import { formatDuration } from './format-duration.ts';
import { versionWithMeta } from './version-with-meta.ts';

const ENTRY_TYPE_NAMES = { server: 'MCP', skill: 'SKILL', plugin: 'PLUGIN' } as const satisfies Record<
  EntryType,
  string
>;

/** Returns a source for responses. It contains no secret, because none is stored. */
export function sourceObject(source: StoredSource, status?: SyncStatus): object {
  const { kind, creationType, block, filter, intervalMs, allowShrink, claims, createdAt, updatedAt } = source;
  return {
    name: source.name,
    type: kind,
    sourceType: kind,
    creationType,
    sourceConfig: block,
    filterConfig: filter,
    syncSchedule: intervalMs === undefined ? undefined : formatDuration(intervalMs),
    allowShrink: allowShrink === true ? true : undefined,
    claims: unlessEmpty(claims),
    syncStatus: status === undefined ? undefined : statusObject(status),
    createdAt,
    updatedAt,
  };
}

function statusObject(status: SyncStatus): object {
  return {
    phase: status.phase,
    lastSyncTime: status.lastSyncTime,
    lastAttempt: status.lastAttempt,
    lastGoodTime: status.lastGoodTime,
    revision: status.revision,
    attemptCount: status.attemptCount,
    serverCount: status.serverCount,
    skillCount: status.skillCount,
    pluginCount: status.pluginCount,
    skippedCount: status.skippedCount,
    skipped: status.skipped.length === 0 ? undefined : status.skipped,
    warningCount: status.warningCount,
    warnings: status.warnings,
    message: status.message,
  };
}

export function registryObject(registry: StoredRegistry): object {
  const { name, creationType, sources, claims, publicClaims, createdAt, updatedAt } = registry;
  return {
    name,
    creationType,
    sources,
    claims: unlessEmpty(claims),
    ...(publicClaims === undefined ? {} : { public: true, publicClaims }),
    createdAt,
    updatedAt,
  };
}

export function sourceEntryObject({ type, name, claims, versions }: SourceEntryRecord): object {
  return { entryType: ENTRY_TYPE_NAMES[type], name, claims: unlessEmpty(claims), versions };
}

export function registryEntryObject(record: RegistryEntryRecord): object {
  const { type, source, claims, name, ...rest } = record;
  return {
    entryType: ENTRY_TYPE_NAMES[type],
    name,
    ...rest,
    claims: unlessEmpty(claims),
    sourceName: source,
  };
}

/** Returns a server's bare document, or a skill or plugin with its status. */
export function publishedJson(row: VersionRow): string {
  if (row.type === 'server') return row.document;
  const document: unknown = JSON.parse(row.document);
  return JSON.stringify({
    ...Object(document),
    status: row.status.toUpperCase(),
    id: `${row.type}:${row.name}@${row.version}`,
    isLatest: row.isLatest,
    createdAt: row.publishedAt,
    updatedAt: row.updatedAt,
  });
}

/**
 * Returns the response to a dry run of a publish request: the address that the version would get, and the
 * response of an actual publish.
 */
export function triedJson(row: VersionRow): string {
  const { type, name, version, source, claims, isLatest } = row;
  const head = { dryRun: true, status: 201, type, name, version, source, claims, isLatest };
  return `${JSON.stringify(head).slice(0, -1)},"entry":${publishedJson(row)}}`;
}

/** Returns a version: a server as consumers see it, a skill or plugin as in the response of a publish. */
export function versionJson(row: VersionRow): string {
  return row.type === 'server' ? versionWithMeta(row) : publishedJson(row);
}

function unlessEmpty<T extends object>(map: T): T | undefined {
  return Object.keys(map).length === 0 ? undefined : map;
}
