import { h, type VNode } from 'preact';
import { type JsonMap, listOf, mapOf, textOf } from '../responses/json-value.ts';
import type { ShownEntry } from './shown-entry.ts';
import { code, commands as commandLines, section } from '../layout/parts-of-pages.ts';
import { clientBlock, cursorLink, vsCodeLink } from './client-blocks.ts';
import { launchOf } from './launch.ts';
import { memberBlock } from './member-block.ts';
import type { Entry } from '../responses/entry.ts';
import { quoted, runCommands } from './run-command.ts';
import type { ApiRequest } from '@portolan/plugin-api';
import { listPath } from '../responses/entry-addresses.ts';
import { ForAMinute } from '../responses/for-a-minute.ts';

/**
 * Cache of whether registries require a token, by name. Each check adds to the access log and the audit log.
 */
const CLOSED = new Map<string, ForAMinute<boolean>>();

/** Returns whether reading the entry requires a token, so that the command line must log in first. */
export async function needsToken({
  view: { visitor, request, parts },
  registry,
  apiPath,
}: Pick<ShownEntry, 'view' | 'registry' | 'apiPath'>): Promise<boolean> {
  // The visitor has read the entry without a token.
  if (visitor.authorization === undefined) return false;
  const statusOf = async (apiRequest: ApiRequest) => (await request.api(apiRequest, undefined)).status;
  const closed = CLOSED.get(registry) ?? new ForAMinute<boolean>();
  CLOSED.set(registry, closed);
  const isClosed = await closed.find(parts, async () => {
    const status = await statusOf({ path: listPath(registry, 'server'), query: { limit: '1' } });
    return status === 200 ? false : status < 500 ? true : undefined;
  });
  // A public registry shows some entries only to callers with a token.
  return isClosed !== false || (await statusOf({ path: apiPath })) !== 200;
}

export async function usageSection(shown: ShownEntry): Promise<VNode> {
  return section(
    'use',
    'How to use it',
    shown.entry.type === 'server' ? serverUsage(shown, await needsToken(shown)) : fetching(shown),
  );
}

/** Renders the line of a members file, for users who want many servers at one address. */
function memberUsage(entry: Entry): VNode | null {
  const block = memberBlock(entry);
  if (block === undefined) return null;
  return h(
    'details',
    null,
    h('summary', null, 'In a virtual server, with other servers at one address'),
    h(
      'p',
      { class: 'quiet' },
      'Put it into a members file. ',
      h('code', null, 'portolan virtual init'),
      ' prints one of your running workloads, and ',
      h('code', null, 'portolan run --members FILE'),
      ' runs it.',
    ),
    code(block, 'Part of a members file'),
  );
}

function serverUsage({ entry, view, registry }: ShownEntry, needsLogin: boolean): VNode {
  const launch = launchOf(entry);
  const { base } = view.request;
  const registryUrl = `${base}/registry/${encodeURIComponent(registry)}`;
  const commands = runCommands(entry, registryUrl, needsLogin ? base : undefined);
  return h(
    'div',
    null,
    h('h3', null, 'With Portolan'),
    commands.length === 0
      ? h('p', { class: 'quiet' }, 'It has nothing that Portolan runs.')
      : commandLines(commands, 'Commands that run it with Portolan'),
    memberUsage(entry),
    launch === undefined
      ? h('p', { class: 'quiet' }, 'No usual client can start it by itself.')
      : [
          h('h3', null, 'In your editor'),
          h(
            'p',
            { class: 'buttons' },
            h('a', { class: 'button', href: vsCodeLink(entry.name, launch) }, 'Install in VS Code'),
            h('a', { class: 'button quiet', href: cursorLink(entry.name, launch) }, 'Install in Cursor'),
          ),
          h(
            'details',
            null,
            h('summary', null, 'In other clients'),
            h('p', { class: 'quiet' }, 'In the file of the client; replace the parts in <>.'),
            code(clientBlock(entry.name, launch), 'Settings for other clients'),
          ),
        ],
  );
}

/** Renders how to fetch a skill or a plugin, which are folders. */
function fetching({ entry }: ShownEntry): VNode {
  const packages = listOf(entry.document['packages']).map(mapOf);
  const commands = packages.flatMap(fetchCommands);
  const folders = packages.flatMap(({ subfolder }) => textOf(subfolder) ?? []);
  const kind = entry.type === 'skill' ? 'skill' : 'plugin';
  return h(
    'div',
    null,
    h(
      'p',
      null,
      `A ${kind} is a folder, which is put where your assistant looks for ${kind}s`,
      kind === 'skill' ? [', such as ', h('code', null, '~/.claude/skills')] : null,
      '.',
    ),
    commands.length === 0
      ? h('p', { class: 'quiet' }, 'This entry does not say where it is fetched from: its publisher knows.')
      : commandLines(commands, 'Commands that fetch it'),
    folders.length === 0
      ? null
      : h(
          'p',
          null,
          `The ${kind} itself is the folder `,
          folders.map((folder) => h('code', null, folder)),
          ' of it.',
        ),
  );
}

export function fetchCommands({
  registryType,
  url,
  ref,
  commit,
  identifier,
  digest,
}: JsonMap): readonly string[] {
  const address = textOf(url);
  if (registryType === 'git' && address !== undefined && /^https:\/\//i.test(address)) {
    const at = textOf(commit) ?? textOf(ref);
    const folder =
      address
        .replace(/(?<!\/)\/+$/, '')
        .replace(/\.git$/, '')
        .split('/')
        .at(-1) ?? 'repository';
    return [
      `git clone ${quoted(address)} ${quoted(folder)}`,
      ...(at === undefined ? [] : [`git -C ${quoted(folder)} checkout ${quoted(at)}`]),
    ];
  }
  const image = textOf(identifier);
  if (registryType !== 'oci' || image === undefined) return [];
  const pinned = textOf(digest);
  return [`oras pull ${quoted(pinned === undefined ? image : `${image.replace(/:[^:/]+$/, '')}@${pinned}`)}`];
}
