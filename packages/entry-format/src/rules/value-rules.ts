import { listOf, memberOf, pathOfMember, quote, textOf } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';
import { undefinedNames } from './template.ts';

/** Reports a `{name}` in inputs, such as headers, that their `variables` do not define. */
export function reportValueNames(holder: unknown, list: string, path: string, issues: IssueList): void {
  for (const [index, input] of listOf(holder, list).entries()) {
    const names = undefinedNames(textOf(input, 'value') ?? '', memberOf(input, 'variables'));
    if (names.length === 0) continue;
    const match = names.map((name) => quote(`{${name}}`)).join(', ');
    const message = `found ${match} in it; expected names that its \`variables\` explain, without which clients may send the braces`;
    issues.report(
      'value-name',
      pathOfMember(pathOfMember(pathOfMember(path, list), index), 'value'),
      message,
    );
  }
}
