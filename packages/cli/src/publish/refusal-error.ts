import { PUBLISHER_PROVIDED } from '@portolan/entry-format';
import type { PortolanError } from '@portolan/plugin-api';
import { describeExpiry } from '@portolan/registry-client';
import type { Refusal, ServerClient, ServerIssue } from '@portolan/registry-client';
import { serverRefused } from './publish-errors.ts';
import { printable } from '../terminal/printable.ts';

/** Hints by error code that replace the server's hint, which describes requests, by a flag or a command. */
const HINTS: ReadonlyMap<string, string> = new Map([
  [
    'ERR_CLAIMS_REQUIRED',
    'add --claim KEY=VALUE, such as --claim org=acme; readers with these claims see the entry',
  ],
  ['ERR_SOURCE_AMBIGUOUS', 'choose one with --source NAME'],
  [
    'ERR_ENTRY_AMBIGUOUS',
    'use the full name, namespace/name; for a name in several sources add --source NAME',
  ],
  ['ERR_SOURCE_NOT_FOUND', '`portolan sources list` shows the sources that you may see'],
  ['ERR_REGISTRY_NOT_FOUND', '`portolan registries list` shows the registries that you may see'],
  ['ERR_REVISION_CHANGED', 'read it again, and repeat the command with the new revision'],
]);

/** Client whose request the server refused. */
export type Asking = Pick<ServerClient, 'tokenFrom' | 'server'> & Partial<Pick<ServerClient, 'tokenExpiry'>>;

/**
 * Translates a refusal into the error of the command: the server's message, its issues, and its hint or a
 * better one.
 */
export function refusalError(refusal: Refusal, client: Asking): PortolanError {
  const sentence = printable(withoutIssues(refusal));
  const lines = issueLines(refusal.issues).map((line) => `  ${line}`);
  const own = refusal.hint === undefined || refusal.status === 401 ? hintFor(refusal, client) : undefined;
  const message = own ?? (refusal.hint === undefined ? undefined : printable(refusal.hint));
  const hint = hintForMetadata(refusal) ?? HINTS.get(refusal.code ?? '') ?? message;
  return serverRefused([sentence, ...lines].join('\n'), hint);
}

/** Path of the issue that the server reports for metadata above its limit. */
const METADATA_PATH = `_meta["${PUBLISHER_PROVIDED}"]`;

/** Returns what to do about metadata above the server's limit; undefined for other refusals. */
function hintForMetadata({ issues }: Refusal): string | undefined {
  const isTooLarge = issues.some(
    ({ path, message }) => path === METADATA_PATH && message.includes('bytes of JSON'),
  );
  return isTooLarge
    ? 'shorten the metadata, to which --with-tools adds the definitions of the server; the operator can raise database.maxMetaSize'
    : undefined;
}

/** Removes the issues from a message that repeats them for clients that do not read `issues`. */
function withoutIssues({ error, issues }: Refusal): string {
  const places = issues.map(({ path }) => error.indexOf(` ${path}: `)).filter((at) => at > 0);
  return places.length === 0 ? error : error.slice(0, Math.min(...places));
}

/** Formats each issue on one line: its place, then the message. */
export function issueLines(issues: readonly ServerIssue[]): readonly string[] {
  return issues.map(({ path, message, severity }) => {
    const place = path === '' ? '' : `${printable(path)}  `;
    return `${severity === 'error' ? '' : `${printable(severity)}: `}${place}${printable(message)}`;
  });
}

function hintFor(
  { status, requestId }: Refusal,
  { tokenFrom, server, tokenExpiry }: Asking,
): string | undefined {
  const login = `\`portolan registry login ${server}\``;
  if (status === 401 && tokenFrom === 'nowhere')
    return `log in with ${login}, or name a file with an access token with --token-file`;
  if (status === 401 && tokenFrom === 'login') return `log in again: ${login}`;
  const expiry = describeExpiry(tokenExpiry);
  if (status === 401 && expiry !== undefined) return `the access token expired at ${expiry}: get a new one`;
  if (status === 401)
    return 'get a new token; the log of the server shows what is wrong with this one, and so does `portolan claims explain --config FILE` on its machine';
  if (status === 403) return '`portolan claims explain` shows your roles and claims, and what they lack';
  if (status === 412) return 'read it again, and repeat the command';
  if (status < 500 || requestId === undefined) return undefined;
  return `look in the log of the server for the request id ${printable(requestId)}`;
}
