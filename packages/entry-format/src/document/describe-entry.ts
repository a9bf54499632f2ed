import type { EntryStatus, EntryType, JsonObject, SourceEntry } from '@portolan/plugin-api';
import { isJsonObject, memberOf, textOf } from '../json-value.ts';
import { extensionKeysOf, metadataBytesOf, stacklokExtensionOf, tagsOf } from '../publisher-metadata.ts';
import type { DocumentIssue } from '../rules/issue-list.ts';
import type { Strength } from '../rules/rule-book.ts';
import type { ValidationOptions } from '../rules/validate-entry-document.ts';
import { validateEntryDocument } from '../rules/validate-entry-document.ts';
import { versionOrderKey } from '../version.ts';
import { modernizeServerDocument } from './modernize-server-document.ts';
import { parseSkillStatus } from './skill-status.ts';

/** Facts that a registry stores with a document. */
export interface EntryFacts {
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly status: EntryStatus;
  readonly tags: readonly string[];
  /** Size of the publisher-provided metadata as JSON, in bytes. */
  readonly metadataBytes: number;
  readonly searchText: string;
  readonly orderKey: string;
}

export type DescribedEntry =
  | {
      readonly usable: true;
      readonly facts: EntryFacts;
      /** Document to store and serve, converted to the newest form when it had underscores. */
      readonly document: JsonObject;
      /** Warnings; an entry with errors has no facts. */
      readonly issues: readonly DocumentIssue[];
    }
  | { readonly usable: false; readonly name: string | undefined; readonly issues: readonly DocumentIssue[] };

export interface DescribeOptions extends ValidationOptions {
  /** First publication, ISO 8601. It orders versions that are not semantic. */
  readonly publishedAt: string;
}

/**
 * Validates an entry. `usable` is false when an issue is an error; `name` is then the document's own text.
 * Never throws for JSON values.
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
 * Returns name, title and description in lower case, separated by U+001F. Convert search terms with
 * `String.prototype.toLowerCase` as well.
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

/** Removes characters that a text column cannot store: U+0000 and lone surrogates. */
function storable(text: string | undefined): string | undefined {
  return text?.toWellFormed().replaceAll('\u0000', '\uFFFD');
}

const SERVER_STATUSES = ['active', 'deprecated', 'deleted'] as const satisfies readonly EntryStatus[];

/**
 * Returns the status in the extension for the first package or remote, or the member `status` of documents
 * before 2025-09-29.
 */
function statusOf(type: EntryType, document: unknown): EntryStatus {
  if (type !== 'server') return parseSkillStatus(textOf(document, 'status') ?? '') ?? 'active';
  const extension = stacklokExtensionOf(document, extensionKeysOf(document));
  const status = textOf(extension, 'status') ?? memberOf(document, 'status');
  return SERVER_STATUSES.find((known) => known === String(status).toLowerCase()) ?? 'active';
}
