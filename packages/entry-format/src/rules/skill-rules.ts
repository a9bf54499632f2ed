import { findNamespaceFault, findSkillNameFault } from '../entry-name.ts';
import { parseSkillStatus } from '../document/skill-status.ts';
import { memberOf, quote, textOf } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';
import { reportMetadataIssues } from './metadata-rules.ts';
import { reportVersionIssues } from './version-rules.ts';

/** Reports problems of a skill or plugin other than its structure. */
export function reportSkillIssues(document: unknown, issues: IssueList, mostMetadataBytes: number): void {
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
  reportMetadataIssues(document, issues, mostMetadataBytes);
}
