import { hash } from 'node:crypto';
import { parseResourceClaims } from '@portolan/authorization';
import { describeEntry, type DocumentIssue, type EntryFacts, printIssues } from '@portolan/entry-format';
import type { EntryType, JsonObject, SourceEntry } from '@portolan/plugin-api';
import { findPathFault, storedPath } from '../store/origin-path.ts';
import { type RemoteAddress, remoteHashes, remotesOf } from '../store/server-remotes.ts';
import { type CarriedOfficial, readOfficial } from './carried-facts.ts';
import type { PreparedVersion } from './prepared-version.ts';
import type { EntryWarning, SkippedVersion } from '../store/sync-status.ts';

export interface DocumentRules {
  /** Maximum size of the publisher-provided metadata of one version, in bytes. */
  readonly maxMetaSize: number;
  /** Package transports that plugins of this server support, besides those of the schema. */
  readonly transports?: readonly string[] | undefined;
}

export interface PreparationRules extends DocumentRules {
  readonly accepts: (facts: EntryFacts) => boolean;
  readonly claimsFrom: 'source' | 'entry';
  /** Time of the sync, ISO 8601. */
  readonly now: string;
  /** Identifier of this registry in the origin paths of versions. */
  readonly here: string;
}

export type VersionAddress = Pick<PreparedVersion, 'type' | 'name' | 'version'>;

/**
 * Result of preparing a version: accepted with warnings, skipped for a reason, rejected by the filter, or
 * ignored because it was originally published in this registry.
 */
export type Prepared =
  | { readonly version: PreparedVersion; readonly oddities: readonly EntryWarning[] }
  | (SkippedVersion & {
      readonly address: VersionAddress | undefined;
      readonly entry?: Pick<VersionAddress, 'type' | 'name'>;
    })
  | { readonly filtered: true; readonly address: VersionAddress }
  | { readonly fromHere: true; readonly address: VersionAddress };

/**
 * Skips an entry that breaks the schema, the name rules or the version rules, or has invalid claims. Other
 * faults are warnings.
 */
export function prepareVersion(entry: SourceEntry, rules: PreparationRules): Prepared {
  const described = describeEntry(entry, 'sync', {
    publishedAt: rules.now,
    maxMetadataBytes: rules.maxMetaSize,
    transports: rules.transports,
  });
  const { issues } = described;
  if (!described.usable) {
    const errors = issues.filter((issue) => issue.severity === 'error');
    const { type, document } = entry;
    const version: unknown = Reflect.get(Object(document), 'version');
    const name = described.name;
    const report = { skipped: labelOf(entry, name), because: printIssues(errors) };
    if (name === undefined) return { ...report, address: undefined };
    if (typeof version !== 'string') return { ...report, address: undefined, entry: { type, name } };
    return { ...report, address: { type, name, version } };
  }
  const { facts, document } = described;
  const { type, name, version } = facts;
  const address = { type, name, version };
  if (!rules.accepts(facts)) return { filtered: true, address };
  if (facts.metadataBytes > rules.maxMetaSize) {
    const because = `The publisher-provided metadata has ${facts.metadataBytes} bytes; at most ${rules.maxMetaSize} are taken.`;
    return { skipped: labelOf(entry, name), because, address };
  }
  const { scope, path = [] } = entry;
  const label = labelOf(entry, name);
  const fault = findPathFault(path);
  if (fault !== undefined) return { skipped: label, because: fault, address };
  if (path.includes(rules.here)) return { fromHere: true, address };
  const official = entry.official === undefined ? undefined : readOfficial(type, entry.official);
  const stored = {
    ...carrying(facts, document, official, storedPath(path)),
    warnings: issues.length,
    ...(scope === undefined ? {} : { scope }),
  };
  const messages = [...issues.map((issue) => printIssues([issue])), ...(official?.oddities ?? [])];
  const oddities = messages.map((warning) => ({ entry: label, warning }));
  if (rules.claimsFrom === 'source') return { version: stored, oddities };
  // Invalid claims are never repaired: a repair could show the entry to more callers.
  const parsed = parseResourceClaims(entry.claims ?? {});
  if ('problems' in parsed) return { skipped: label, because: parsed.problems.join(' '), address };
  return { version: { ...stored, claims: parsed.claims }, oddities };
}

export interface CheckedPublication {
  readonly version: PreparedVersion | undefined;
  /** Remotes of a valid server, in the form that is stored. */
  readonly remotes: readonly RemoteAddress[];
  readonly issues: readonly DocumentIssue[];
}

/**
 * Checks a document that is to be published. Every problem is an error, except rules that only give advice.
 */
export function checkPublication(
  request: { readonly type: EntryType; readonly document: unknown },
  rules: DocumentRules & { readonly now: string },
): CheckedPublication {
  const options = {
    publishedAt: rules.now,
    maxMetadataBytes: rules.maxMetaSize,
    transports: rules.transports,
  };
  const described = describeEntry(request, 'publish', options);
  const { issues } = described;
  if (!described.usable) return { version: undefined, remotes: [], issues };
  const { facts, document } = described;
  const remotes = request.type === 'server' ? remotesOf(document) : [];
  return { version: storable(facts, document), remotes, issues };
}

function storable(facts: EntryFacts, document: JsonObject): PreparedVersion {
  const text = JSON.stringify(document);
  const contentHash = hash('sha256', `${facts.status}\0${text}`, 'base64url');
  const { type, name, version, status, searchText } = facts;
  const remotes = type === 'server' ? remoteHashes(remotesOf(document)) : [];
  return { type, name, version, status, searchText, contentHash, document: text, warnings: 0, remotes };
}

/**
 * Returns what another registry reports about a version, for its content hash. Omits whether the version is
 * the latest, because that may change while the content stays the same.
 */
function carrying(
  facts: EntryFacts,
  document: JsonObject,
  official: CarriedOfficial | undefined,
  origin: string | null,
): PreparedVersion {
  if (official === undefined && origin === null) return storable(facts, document);
  const status = official?.facts.status ?? facts.status;
  const version = storable({ ...facts, status }, document);
  const officialFacts = { ...official?.facts, isLatest: undefined };
  const contentHash = hash(
    'sha256',
    JSON.stringify([version.contentHash, officialFacts, origin]),
    'base64url',
  );
  return {
    ...version,
    contentHash,
    ...(official === undefined ? {} : { carried: official.facts }),
    ...(origin === null ? {} : { origin }),
  };
}

function labelOf(entry: SourceEntry, name: string | undefined): string {
  const place = entry.place ?? 'an entry';
  return name === undefined ? place : `${place} (${name.slice(0, 200)})`;
}
