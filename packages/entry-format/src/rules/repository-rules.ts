import { quote, textOf } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';

const FORGES: ReadonlyMap<string, { readonly address: RegExp; readonly expected: string }> = new Map([
  [
    'github',
    {
      address: /^https?:\/\/(?:www\.)?github\.com\/[\w.-]+\/[\w.-]+\/?$/,
      expected: 'https://github.com/<owner>/<repository>',
    },
  ],
  [
    'gitlab',
    {
      address: /^https?:\/\/(?:www\.)?gitlab\.com(?:\/[\w.-]+){2,}\/?$/,
      expected: 'https://gitlab.com/<group>/<repository>',
    },
  ],
]);

/** Reports a repository with an unknown forge, an address of another host, or a malformed subfolder. */
export function reportRepositoryIssues(repository: unknown, issues: IssueList): void {
  const source = textOf(repository, 'source');
  const address = textOf(repository, 'url');
  const forge = FORGES.get(source ?? '');
  if (source !== undefined && forge === undefined) {
    const message = `found ${quote(source)}; expected one of "github", "gitlab", the only ones whose addresses are checked`;
    issues.report('repository-host', 'repository.source', message);
  } else if (forge !== undefined && address !== undefined && !forge.address.test(address)) {
    issues.report('repository-host', 'repository.url', `found ${quote(address)}; expected ${forge.expected}`);
  }
  const subfolder = textOf(repository, 'subfolder');
  if (subfolder !== undefined && !isCleanRelativePath(subfolder)) {
    const message = `found ${quote(subfolder)}; expected a relative path of letters, digits, "-", "_", "." and "/", without empty, "." or ".." parts`;
    issues.report('repository-subfolder', 'repository.subfolder', message);
  }
}

function isCleanRelativePath(path: string): boolean {
  return path.split('/').every((part) => /^[A-Za-z0-9._-]+$/.test(part) && part !== '.' && part !== '..');
}
