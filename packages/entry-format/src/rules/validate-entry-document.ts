import type { EntryType } from '@portolan/plugin-api';
import { findSchemaIssues } from '../schemas/find-schema-issues.ts';
import { type AddedTransports, withKnownTransports } from './added-transports.ts';
import type { DocumentIssue } from './issue-list.ts';
import { IssueList } from './issue-list.ts';
import { measureDocument } from './measure-document.ts';
import type { Strength } from './rule-book.ts';
import { reportServerIssues } from './server-rules.ts';
import { reportSkillIssues } from './skill-rules.ts';

export interface ValidationOptions {
  /**
   * Maximum size of publisher-provided metadata, in bytes. Default: 262,144 (the official registry accepts
   * 4,096).
   */
  readonly mostMetadataBytes?: number | undefined;
  /** Default: none. */
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
  const mostMetadataBytes = options.mostMetadataBytes ?? MAX_METADATA_BYTES;
  if (type === 'server') reportServerIssues(document, issues, mostMetadataBytes);
  else reportSkillIssues(document, issues, mostMetadataBytes);
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

/** Works like `validateEntryDocument` for a skill. */
export function validateSkillDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('skill', document, strength, options);
}

/** Works like `validateEntryDocument` for a plugin. */
export function validatePluginDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('plugin', document, strength, options);
}

/** Formats issues as one sentence for a log or a source's status: at most three, and the number of others. */
export function printIssues(issues: readonly DocumentIssue[]): string {
  const told = issues.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - told.length;
  return `${told.join('. ')}${more > 0 ? `. And ${more} more` : ''}.`;
}
