import { memberOf, pathOfMember, quote, textOf } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';
import { namesInTemplate, parseTemplate } from './template.ts';
import { reportValueNames } from './value-rules.ts';

/**
 * Reports a remote with an address that other machines cannot reach securely, or with unknown names in its
 * template.
 */
export function reportRemoteIssues(remote: unknown, path: string, issues: IssueList): void {
  reportValueNames(remote, 'headers', path, issues);
  const address = textOf(remote, 'url');
  if (address === undefined) return;
  const urlPath = pathOfMember(path, 'url');
  const url = parseTemplate(address);
  if (url === undefined || url.protocol !== 'https:') {
    issues.report('remote-address', urlPath, `found ${quote(address)}; expected an https address`);
  } else if (isOwnMachine(url.hostname)) {
    issues.report(
      'remote-address',
      urlPath,
      `found ${quote(address)}; expected a host other machines can reach`,
    );
  }
  const variables = memberOf(remote, 'variables');
  const unknown = namesInTemplate(address).filter((name) => memberOf(variables, name) === undefined);
  if (unknown.length === 0) return;
  const message = `found ${unknown.map((name) => quote(`{${name}}`)).join(', ')} in it; expected names that \`variables\` of this remote explains`;
  issues.report('template-name', urlPath, message);
}

function isOwnMachine(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';
}
