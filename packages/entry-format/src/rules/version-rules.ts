import { quote, textOf } from '../json-value.ts';
import { findVersionFault } from '../version.ts';
import type { IssueList } from './issue-list.ts';

export function reportVersionIssues(owner: unknown, path: string, issues: IssueList): void {
  const version = textOf(owner, 'version');
  const fault = version === undefined ? undefined : findVersionFault(version);
  if (fault !== undefined) issues.report('version-concrete', path, `${quote(version)} ${fault}`);
}
