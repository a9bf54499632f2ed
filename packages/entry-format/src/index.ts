export { isSkippedEntry, readCatalogue } from './catalogue/read-catalogue.ts';
export { describeEntry, searchTextOf } from './document/describe-entry.ts';
export type { DescribedEntry, DescribeOptions, EntryFacts } from './document/describe-entry.ts';
export { modernizeServerDocument } from './document/modernize-server-document.ts';
export {
  LATEST_SERVER_SCHEMA,
  SERVER_SCHEMA_VERSIONS,
  serverSchemaAddress,
} from './document/schema-address.ts';
export { parseSkillStatus, SKILL_STATUSES } from './document/skill-status.ts';
export type { SkillStatus } from './document/skill-status.ts';
export { createEntryFilter } from './entry-filter.ts';
export type { EntryFilter, EntryFilterRules, FilteredFacts, IncludeExclude } from './entry-filter.ts';
export {
  findNamespaceFault,
  findServerNameFault,
  findSkillNameFault,
  isServerName,
  isSkillName,
} from './entry-name.ts';
export { openUnnamed } from './open-unnamed.ts';
export { PUBLISHER_PROVIDED } from './publisher-metadata.ts';
export type { DocumentIssue } from './rules/issue-list.ts';
export type { Severity, Strength } from './rules/rule-book.ts';
export {
  printIssues,
  validateEntryDocument,
  validatePluginDocument,
  validateServerDocument,
  validateSkillDocument,
} from './rules/validate-entry-document.ts';
export type { ValidationOptions } from './rules/validate-entry-document.ts';
export type { DocumentSchema } from './schemas/document-schema.ts';
export { DOCUMENT_SCHEMAS } from './schemas/find-schema-issues.ts';
export { findVersionFault, isSemanticVersion, isVersionRange, versionOrderKey } from './version.ts';
