import { locateHiddenText } from '../hidden-text/locate-hidden-text.ts';
import type { IssueList } from './issue-list.ts';

export function reportHiddenText(document: unknown, issues: IssueList): void {
  for (const { path, description } of locateHiddenText(document)) {
    const message = `found ${description}; expected only text that a reader sees`;
    issues.report('hidden-text', path, message);
  }
}
