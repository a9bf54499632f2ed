import { findHiddenText } from '../hidden-text/find-hidden-text.ts';
import { pathOfMember } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';

export function reportHiddenText(document: unknown, issues: IssueList): void {
  for (const { pointer, description } of findHiddenText(document)) {
    const message = `found ${description}; expected only text that a reader sees`;
    issues.report('hidden-text', pathOf(pointer, document), message);
  }
}

/** Returns a JSON pointer as the path of an issue, such as `packages[0].description`. */
function pathOf(pointer: string, document: unknown): string {
  let path = '';
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path = pathOfMember(path, Array.isArray(value) ? Number(name) : name.replaceAll(/[^ -~]/gu, '?'));
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  }
  return path;
}
