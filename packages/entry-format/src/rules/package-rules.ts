import { isJsonObject, listOf, memberOf, pathOfMember, quote, textOf } from '../json-value.ts';
import type { IssueList } from './issue-list.ts';
import { namesInTemplate } from './template.ts';
import { reportValueNames } from './value-rules.ts';
import { reportVersionIssues } from './version-rules.ts';

const ARGUMENT_LISTS = ['runtimeArguments', 'packageArguments'] as const;

export function reportPackageIssues(item: unknown, path: string, issues: IssueList): void {
  if (!isJsonObject(item)) return;
  const identifier = textOf(item, 'identifier');
  if (identifier !== undefined && /\s/.test(identifier)) {
    const message = `found ${quote(identifier)}; expected no white space`;
    issues.report('package-identifier', pathOfMember(path, 'identifier'), message);
  }
  reportVersionIssues(item, pathOfMember(path, 'version'), issues);
  if (textOf(item, 'registryType') === 'mcpb' && memberOf(item, 'fileSha256') === undefined) {
    const message = 'found nothing; expected the SHA-256 of the file, which a package of type mcpb needs';
    issues.report('package-hash', pathOfMember(path, 'fileSha256'), message);
  }
  for (const list of ARGUMENT_LISTS) {
    for (const [index, argument] of listOf(item, list).entries()) {
      reportArgumentIssues(argument, pathOfMember(pathOfMember(path, list), index), issues);
    }
  }
  if (listOf(item, 'runtimeArguments').length > 0 && memberOf(item, 'runtimeHint') === undefined) {
    const message = 'found nothing; a package with runtimeArguments should say which runtime they are for';
    issues.report('runtime-hint', pathOfMember(path, 'runtimeHint'), message);
  }
  for (const list of [...ARGUMENT_LISTS, 'environmentVariables']) reportValueNames(item, list, path, issues);
  reportValueNames(memberOf(item, 'transport'), 'headers', pathOfMember(path, 'transport'), issues);
  reportTransportIssues(item, pathOfMember(path, 'transport'), issues);
}

function reportArgumentIssues(argument: unknown, path: string, issues: IssueList): void {
  const name = textOf(argument, 'name');
  if (textOf(argument, 'type') !== 'named' || name === undefined) return;
  if (name === '' || /[<> $]/.test(name)) {
    const message = `found ${quote(name)}; expected a flag such as "--port", without "<", ">", "$" and space`;
    issues.report('argument-name', pathOfMember(path, 'name'), message);
    return;
  }
  for (const member of ['value', 'default'] as const) {
    const text = textOf(argument, member);
    if (text?.startsWith(name) !== true) continue;
    const message = `found ${quote(text)}, which repeats the name; expected the value alone`;
    issues.report('argument-value', pathOfMember(path, member), message);
  }
}

function reportTransportIssues(item: unknown, path: string, issues: IssueList): void {
  const transport = memberOf(item, 'transport');
  const urlPath = pathOfMember(path, 'url');
  const url = textOf(transport, 'url');
  const type = textOf(transport, 'type');
  if (type === 'stdio') {
    if (memberOf(transport, 'url') === undefined || url === '') return;
    const match = quote(memberOf(transport, 'url'));
    issues.report('transport-url', urlPath, `found ${match}; expected no URL, since the type is "stdio"`);
    return;
  }
  if (url === undefined || type === undefined) return;
  const known = namesOfPackage(item);
  const unknown = namesInTemplate(url).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const message = `found ${unknown.map((name) => quote(`{${name}}`)).join(', ')} in it; expected names of environment variables or arguments, or value hints, of this package`;
  issues.report('template-name', urlPath, message);
}

/**
 * Returns the placeholder names that templates of a package may use. Names of flags count with and without
 * dashes.
 */
function namesOfPackage(item: unknown): ReadonlySet<string> {
  const variables = listOf(item, 'environmentVariables').map((variable) => textOf(variable, 'name'));
  const argumentNames = ARGUMENT_LISTS.flatMap((list) => listOf(item, list)).flatMap((argument) => [
    textOf(argument, 'name'),
    textOf(argument, 'name')?.replace(/^-+/, ''),
    textOf(argument, 'valueHint'),
  ]);
  return new Set([...variables, ...argumentNames].filter((name) => name !== undefined));
}
