export type { Taken } from './catalogue/json-scanner.ts';
export { isSkippedEntry, readCatalogue } from './catalogue/read-catalogue.ts';
export { readListDocument } from './catalogue/read-list-document.ts';
export {
  PUBLISHED_LISTS,
  publishDefinitions,
  readPublishedDefinitions,
} from './definitions/published-definitions.ts';
export type {
  PublishedDefinitions,
  PublishedFault,
  PublishedList,
  PublishedServer,
} from './definitions/published-definitions.ts';
export { describeEntry, searchTextOf } from './document/describe-entry.ts';
export type { EntryFacts } from './document/describe-entry.ts';
export { modernizeServerDocument } from './document/modernize-server-document.ts';
export {
  LATEST_SERVER_SCHEMA,
  SERVER_SCHEMA_VERSIONS,
  serverSchemaAddress,
} from './document/schema-address.ts';
export { shortDescription } from './document/short-description.ts';
export { createEntryFilter } from './entry-filter.ts';
export type { EntryFilter, EntryFilterRules } from './entry-filter.ts';
export { findNamespaceFault, findServerNameFault, isServerName, isSkillName } from './entry-name.ts';
export { listOf, memberOf, namesInPointer, pointerTo, textOf } from './json-value.ts';
export { readNamePattern } from './name-pattern.ts';
export type { NamePattern } from './name-pattern.ts';
export { openUnnamed } from './open-unnamed.ts';
export { PORTOLAN, PUBLISHER_PROVIDED, STACKLOK } from './publisher-metadata.ts';
export type { DocumentIssue } from './rules/issue-list.ts';
export { codePointOf, INVISIBLE } from './hidden-text/characters.ts';
export {
  findHiddenText,
  HIDDEN_TEXT_KINDS,
  type HiddenText,
  type HiddenTextKind,
} from './hidden-text/find-hidden-text.ts';
export { locateHiddenText, type LocatedHiddenText } from './hidden-text/locate-hidden-text.ts';
export { undefinedNames } from './rules/template.ts';
export type { Strength } from './rules/rule-book.ts';
export {
  printIssues,
  validateEntryDocument,
  validatePluginDocument,
  validateServerDocument,
  validateSkillDocument,
} from './rules/validate-entry-document.ts';
export { DOCUMENT_SCHEMAS } from './schemas/document-schemas.ts';
export { findVersionFault, isSemanticVersion, isVersionRange, versionOrderKey } from './version.ts';
