import { findServerNameFault } from '../entry-name.ts';
import { SERVER_SCHEMA_VERSIONS, versionOfServerSchema } from '../document/schema-address.ts';
import { listOf, memberOf, pathOfMember, quote, textOf } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';
import { reportMetadataIssues } from './metadata-rules.ts';
import { reportPackageIssues } from './package-rules.ts';
import { isHttpsAddress, namesInTemplate, parseTemplate } from './template.ts';
import { reportVersionIssues } from './version-rules.ts';
import { reportValueNames } from './value-rules.ts';

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

/** Reports an unknown forge, an address of another host, or a malformed subfolder. */
function reportRepositoryIssues(repository: unknown, issues: IssueList): void {
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

/**
 * Reports problems other than the structure, by the official registry's rules (MCP registry, "server.json"
 * requirements) and some of ours. The schema reports wrong types.
 */
export function reportServerIssues(document: unknown, issues: IssueList, maxMetadataBytes: number): void {
  reportIdentityIssues(document, issues);
  reportSchemaVersionIssues(document, issues);
  reportTextIssues(document, issues);
  reportRepositoryIssues(memberOf(document, 'repository'), issues);
  for (const [index, item] of listOf(document, 'packages').entries()) {
    reportPackageIssues(item, pathOfMember('packages', index), issues);
  }
  for (const [index, remote] of listOf(document, 'remotes').entries()) {
    reportRemoteIssues(remote, pathOfMember('remotes', index), issues);
  }
  reportMetadataIssues(document, issues, maxMetadataBytes);
}

function reportIdentityIssues(document: unknown, issues: IssueList): void {
  const name = textOf(document, 'name');
  if (name !== undefined) {
    const fault = findServerNameFault(name);
    if (fault !== undefined) issues.report('name-format', 'name', `${quote(name)} ${fault}`);
    else if (name.split('/').some((part) => part.length < 2)) {
      const message = `${quote(name)} has a part of one character, which the official registry refuses`;
      issues.report('name-short-part', 'name', message);
    }
  }
  reportVersionIssues(document, 'version', issues);
}

function reportSchemaVersionIssues(document: unknown, issues: IssueList): void {
  const address = textOf(document, '$schema');
  const newest = SERVER_SCHEMA_VERSIONS.at(-1);
  const expected = `expected the address of a published server.json schema, best the one of ${newest}`;
  if (address === undefined) {
    issues.report('schema-known', '$schema', `found nothing; ${expected}`);
  } else if (versionOfServerSchema(address) === 'draft') {
    issues.report('schema-known', '$schema', `found the draft, which changes; ${expected}`);
  } else if (!SERVER_SCHEMA_VERSIONS.includes(versionOfServerSchema(address) ?? '')) {
    issues.report('schema-known', '$schema', `found ${quote(address)}; ${expected}`);
  }
}

function reportTextIssues(document: unknown, issues: IssueList): void {
  if (textOf(document, 'title')?.trim() === '') {
    issues.report('title-blank', 'title', 'found only white space; expected a title, or no such member');
  }
  const website = textOf(document, 'websiteUrl');
  if (website !== undefined && !isHttpsAddress(website)) {
    issues.report(
      'website-https',
      'websiteUrl',
      `found ${quote(website)}; expected an absolute https address`,
    );
  }
  for (const [index, icon] of listOf(document, 'icons').entries()) {
    const source = textOf(icon, 'src');
    if (source === undefined || isHttpsAddress(source)) continue;
    const path = pathOfMember(pathOfMember('icons', index), 'src');
    issues.report('icon-https', path, `found ${quote(source)}; expected an absolute https address`);
  }
}

/** Reports an address that other machines cannot reach securely, or unknown names in its template. */
function reportRemoteIssues(remote: unknown, path: string, issues: IssueList): void {
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
