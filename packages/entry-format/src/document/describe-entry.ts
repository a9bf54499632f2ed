import type { EntryStatus, EntryType, JsonObject, SourceEntry } from '@portolan/plugin-api';
import { isJsonObject, listOf, memberOf, textOf } from '../json-value.ts';
import { metadataBytesOf, stacklokExtensionOf, tagsOf } from '../publisher-metadata.ts';
import type { DocumentIssue } from '../rules/issue-list.ts';
import type { Strength } from '../rules/rule-book.ts';
import type { ValidationOptions } from '../rules/validate-entry-document.ts';
import { validateEntryDocument } from '../rules/validate-entry-document.ts';
import { versionOrderKey } from '../version.ts';
import { modernizeServerDocument } from './modernize-server-document.ts';
import { parseSkillStatus } from './skill-status.ts';

/** What a registry keeps beside a document, to find, filter and order it. */
export interface EntryFacts {
  readonly type: EntryType;
  /** `namespace/name`, for all three types. */
  readonly name: string;
  readonly version: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly status: EntryStatus;
  /** Tags of the publisher-provided metadata, for filters. */
  readonly tags: readonly string[];
  /** Size of the publisher-provided metadata as JSON, in bytes. */
  readonly metadataBytes: number;
  /** See `searchTextOf`. */
  readonly searchText: string;
  /** See `versionOrderKey`. */
  readonly orderKey: string;
}

export type DescribedEntry =
  | {
      readonly usable: true;
      readonly facts: EntryFacts;
      /** To be stored and served: as it came, or brought to the newest shape when it had underscores. */
      readonly document: JsonObject;
      /** Warnings only. */
      readonly issues: readonly DocumentIssue[];
    }
  | { readonly usable: false; readonly name: string | undefined; readonly issues: readonly DocumentIssue[] };

export interface DescribeOptions extends ValidationOptions {
  /** When the version was first published, in ISO 8601; orders versions that are not semantic. */
  readonly publishedAt: string;
}

/**
 * Validates an entry and says what the registry keeps of it. `usable: false`
 * when an issue is an error; `name` is then whatever the document says it is,
 * for messages. Never throws on JSON values.
 */
export function describeEntry(
  entry: Pick<SourceEntry, 'type' | 'document'>,
  strength: Strength,
  options: DescribeOptions,
): DescribedEntry {
  const { type, document: original } = entry;
  const isOldServer = type === 'server' && isJsonObject(original);
  const document = isOldServer ? modernizeServerDocument(original) : original;
  const issues = validateEntryDocument(type, document, strength, options);
  const hasErrors = issues.some((issue) => issue.severity === 'error');
  if (hasErrors || !isJsonObject(document)) return { usable: false, name: nameOf(type, document), issues };
  const facts = factsOf(type, document, statusOf(type, original), options.publishedAt);
  return { usable: true, facts, document, issues };
}

/**
 * The text that a search looks at: name, title and description in lower case,
 * with U+001F between them, which no search contains. Lower case is the one of
 * `String.prototype.toLowerCase`; make the searched word lower-case likewise.
 */
export function searchTextOf(name: string, title: string | undefined, description: string): string {
  return [name, title ?? '', description].join('\u001F').toLowerCase();
}

function factsOf(
  type: EntryType,
  document: JsonObject,
  status: EntryStatus,
  publishedAt: string,
): EntryFacts {
  const name = nameOf(type, document) ?? '';
  const version = textOf(document, 'version') ?? '';
  const title = storable(textOf(document, 'title'));
  const description = storable(textOf(document, 'description')) ?? '';
  return {
    type,
    name,
    version,
    title,
    description,
    status,
    tags: tagsOf(document),
    metadataBytes: metadataBytesOf(document),
    searchText: searchTextOf(name, title, description),
    orderKey: versionOrderKey(version, publishedAt, document),
  };
}

function nameOf(type: EntryType, document: unknown): string | undefined {
  const name = textOf(document, 'name');
  if (type === 'server') return name;
  const namespace = textOf(document, 'namespace');
  return name === undefined || namespace === undefined ? name : `${namespace}/${name}`;
}

/** Without what a text column cannot hold: U+0000, and halves of characters. */
function storable(text: string | undefined): string | undefined {
  return text?.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

const SERVER_STATUSES = ['active', 'deprecated', 'deleted'] as const satisfies readonly EntryStatus[];

/**
 * A server's status is its extension's (the one for its first package or
 * remote), else the member `status` of documents older than 2025-09-29.
 */
function statusOf(type: EntryType, document: unknown): EntryStatus {
  if (type !== 'server') return parseSkillStatus(textOf(document, 'status') ?? '') ?? 'active';
  const identifiers = listOf(document, 'packages').map((item) => textOf(item, 'identifier'));
  const addresses = listOf(document, 'remotes').map((remote) => textOf(remote, 'url'));
  const keys = [...identifiers, ...addresses].filter((key) => key !== undefined);
  const status = textOf(stacklokExtensionOf(document, keys), 'status') ?? memberOf(document, 'status');
  return SERVER_STATUSES.find((known) => known === String(status).toLowerCase()) ?? 'active';
}
