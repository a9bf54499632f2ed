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
  /** Most bytes of publisher-provided metadata; 262,144 when left out (the official registry takes 4,096). */
  readonly mostMetadataBytes?: number | undefined;
  /** Left out: none. */
  readonly transports?: AddedTransports | undefined;
}

const MAX_METADATA_BYTES = 262_144;

/**
 * Everything that is wrong with a document, errors first; empty when nothing
 * is. It may be published, or taken from a catalogue, when there is no issue of
 * severity `error`. Never throws on a JSON value. Of more than 100 issues the
 * rest is only counted; of a document with more than 20,000 values only the
 * first fault of its structure is told.
 *
 * In strength `publish` the schema and the rules are errors, but for advice. In
 * strength `sync` only schema, name and version are.
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

/** As `validateEntryDocument`, for a server document in a camelCase shape (`modernizeServerDocument`). */
export function validateServerDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('server', document, strength, options);
}

/** As `validateEntryDocument`, for a skill. */
export function validateSkillDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('skill', document, strength, options);
}

/** As `validateEntryDocument`, for a plugin. */
export function validatePluginDocument(
  document: unknown,
  strength: Strength,
  options?: ValidationOptions,
): readonly DocumentIssue[] {
  return validateEntryDocument('plugin', document, strength, options);
}

/** Issues in one sentence, for a log or the status of a source: at most three, and how many more there are. */
export function printIssues(issues: readonly DocumentIssue[]): string {
  const told = issues.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - told.length;
  return `${told.join('. ')}${more > 0 ? `. And ${more} more` : ''}.`;
}
