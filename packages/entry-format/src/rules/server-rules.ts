import { findServerNameFault } from '../entry-name.ts';
import { SERVER_SCHEMA_VERSIONS, versionOfServerSchema } from '../document/schema-address.ts';
import { listOf, memberOf, pathOfMember, quote, textOf } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';
import { reportMetadataIssues } from './metadata-rules.ts';
import { reportPackageIssues } from './package-rules.ts';
import { reportRemoteIssues } from './remote-rules.ts';
import { reportRepositoryIssues } from './repository-rules.ts';
import { isHttpsAddress } from './template.ts';
import { reportVersionIssues } from './version-rules.ts';

/**
 * Reports problems of a server document other than its structure, by the official registry's rules (MCP
 * registry, "server.json" requirements) and some of ours. The schema reports wrong types.
 */
export function reportServerIssues(document: unknown, issues: IssueList, mostMetadataBytes: number): void {
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
  reportMetadataIssues(document, issues, mostMetadataBytes);
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
