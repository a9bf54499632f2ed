import type { EntryType } from '@portolan/plugin-api';
import { findSchemaIssues } from '../schemas/find-schema-issues.ts';
import { type DocumentIssue, IssueList } from './issue-list.ts';
import type { Strength } from './rule-book.ts';
import { reportServerIssues } from './server-rules.ts';
import { findNamespaceFault, findSkillNameFault } from '../entry-name.ts';
import { parseSkillStatus } from '../document/skill-status.ts';
import { memberOf, quote, textOf, isJsonObject, listOf } from '../json-value.ts';
import { reportHiddenText } from './hidden-text-rules.ts';
import { reportMetadataIssues } from './metadata-rules.ts';
import { reportVersionIssues } from './version-rules.ts';
import { PACKAGE_TRANSPORTS } from '../schemas/server-schema.ts';

/**
 * Package transports that are allowed in addition to those of the schema. `any` leaves the check of
 * transports to the caller.
 */
type AddedTransports = readonly string[] | 'any';

const KIND_NAME = /^[a-z][A-Za-z0-9-]*$/;

/**
 * Returns the document with each additional transport replaced by a transport that the schema knows: a
 * URL-based one when it has an address.
 */
function withKnownTransports(document: unknown, added: AddedTransports): unknown {
  if (added.length === 0 || !isJsonObject(document)) return document;
  const hasAdded = (item: unknown) => {
    const type = textOf(memberOf(item, 'transport'), 'type');
    if (type === undefined || PACKAGE_TRANSPORTS.includes(type)) return false;
    return added === 'any' ? KIND_NAME.test(type) : added.includes(type);
  };
  if (!listOf(document, 'packages').some(hasAdded)) return document;
  const packages = listOf(document, 'packages').map((item) => (hasAdded(item) ? withKnown(item) : item));
  return { ...document, packages };
}

function withKnown(item: unknown): unknown {
  const transport = memberOf(item, 'transport');
  if (!isJsonObject(item) || !isJsonObject(transport)) return item;
  const type = memberOf(transport, 'url') === undefined ? 'stdio' : 'streamable-http';
  return { ...item, transport: { ...transport, type } };
}

const MAX_DEPTH = 64;
const MAX_VALUES = 2_000_000;

/**
 * Returns the number of objects, arrays and members, or a fault for a document that is nested deeper than 64
 * levels or has more than two million values.
 */
function measureDocument(document: unknown): { readonly values: number } | { readonly fault: string } {
  const values = countValues(document, 1);
  if (values === Infinity) return { fault: `is nested deeper than ${MAX_DEPTH} levels` };
  return values > MAX_VALUES ? { fault: `holds more than ${MAX_VALUES} values` } : { values };
}

/**
 * Counts objects, arrays and members. Stops early above the maximum. Returns Infinity when the nesting is too
 * deep.
 */
function countValues(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (depth > MAX_DEPTH) return Infinity;
  let count = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += countValues(member, depth + 1);
    if (count > MAX_VALUES) break;
  }
  return count;
}

export interface ValidationOptions {
  /** Maximum bytes of publisher-provided metadata. Default: 262,144 (the official registry accepts 4,096). */
  readonly maxMetadataBytes?: number | undefined;
  /** Package transports that are allowed in addition to those of the schema. Default: none. */
  readonly transports?: AddedTransports | undefined;
}

const MAX_METADATA_BYTES = 262_144;

/**
 * Returns every issue of a document, errors first. A document without an issue of severity `error` may be
 * published or accepted from a catalogue. Never throws for a JSON value. Above 100 issues it only counts the
 * rest, and for a document with more than 20,000 values it reports only the first structural fault.
 *
 * At strictness `publish`, schema and rules are errors, except for advice. At `sync`, only schema, name and
 * version are.
 */
export function validateEntryDocument(
  type: EntryType,
  document: unknown,
  strength: Strength,
  options: ValidationOptions = {},
): readonly DocumentIssue[] {
  const issues = new IssueList(strength);
  const measured = measureDocument(document);
  if ('fault' in measured) {
    issues.report('document-size', '', `the document ${measured.fault}`);
    return issues.all();
  }
  const seen = type === 'server' ? withKnownTransports(document, options.transports ?? []) : document;
  for (const issue of findSchemaIssues(type, seen, measured.values)) issues.add(issue);
  const maxMetadataBytes = options.maxMetadataBytes ?? MAX_METADATA_BYTES;
  if (type === 'server') reportServerIssues(document, issues, maxMetadataBytes);
  else reportSkillIssues(document, issues, maxMetadataBytes);
  reportHiddenText(document, issues);
  return issues.all();
}

/** Works like `validateEntryDocument` for a server document in camelCase form (`modernizeServerDocument`). */
export function validateServerDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('server', document, strength, options);
}

export function validateSkillDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('skill', document, strength, options);
}

export function validatePluginDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('plugin', document, strength, options);
}

/** Formats at most three issues as one sentence, and the number of others. */
export function printIssues(issues: readonly DocumentIssue[]): string {
  const messages = issues
    .slice(0, 3)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - messages.length;
  return `${messages.join('. ')}${more > 0 ? `. And ${more} more` : ''}.`;
}

function reportSkillIssues(document: unknown, issues: IssueList, maxMetadataBytes: number): void {
  const namespace = textOf(document, 'namespace');
  const namespaceFault = namespace === undefined ? undefined : findNamespaceFault(namespace);
  if (namespaceFault !== undefined) {
    issues.report('name-format', 'namespace', `${quote(namespace)} ${namespaceFault}`);
  }
  const name = textOf(document, 'name');
  const nameFault = name === undefined ? undefined : findSkillNameFault(name);
  if (nameFault !== undefined) issues.report('name-format', 'name', `${quote(name)} ${nameFault}`);
  reportVersionIssues(document, 'version', issues);
  const status = memberOf(document, 'status');
  if (typeof status === 'string' && parseSkillStatus(status) === undefined) {
    const message = `found ${quote(status)}; expected one of "active", "deprecated", "archived"`;
    issues.report('skill-status', 'status', message);
  }
  reportMetadataIssues(document, issues, maxMetadataBytes);
}
