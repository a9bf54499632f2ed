import { listOf, memberOf, textOf } from '@portolan/entry-format';
import type { EntryType } from '@portolan/plugin-api';
import { serverAnswerUnusable } from './server-errors.ts';
import type { ServerClient } from './server-client.ts';

export interface ListedParent {
  readonly of: 'source' | 'registry';
  readonly name: string;
}

export interface ListedVersion {
  readonly type: EntryType;
  readonly name: string;
  readonly version: string;
  readonly title: string | null;
  readonly description: string;
  /** Status of the version. Null when the server does not report it. */
  readonly status: string | null;
  readonly source: string | null;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

export interface EntrySelection {
  readonly type: EntryType | undefined;
  readonly search: string | undefined;
}

const TYPES: ReadonlyMap<string, EntryType> = new Map([
  ['MCP', 'server'],
  ['SKILL', 'skill'],
  ['PLUGIN', 'plugin'],
]);
const PAGE = '1000';

/** Yields versions page by page, in the server's order. Throws request errors. */
export async function* listEntries(
  client: ServerClient,
  parent: ListedParent,
  selection: EntrySelection,
): AsyncGenerator<ListedVersion> {
  const plural = parent.of === 'source' ? 'sources' : 'registries';
  const path = `/v1/${plural}/${encodeURIComponent(parent.name)}/entries`;
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const { body } = await client.ask({ method: 'GET', path, query: { limit: PAGE, cursor } });
    if (!Array.isArray(memberOf(body, 'entries')))
      throw serverAnswerUnusable(`GET ${path}`, 'JSON without a list of entries');
    for (const row of listOf(body, 'entries').flatMap((item) => versionsOf(item, parent)))
      if (isSelected(row, selection)) yield row;
    cursor = textOf(memberOf(body, 'metadata'), 'nextCursor');
    if (cursor === undefined || cursor === '') return;
    if (seen.has(cursor)) throw serverAnswerUnusable(`GET ${path}`, 'the same cursor twice');
    seen.add(cursor);
  }
}

/**
 * Returns the versions in one item of a list: a source lists entries with their versions, a registry lists
 * versions.
 */
function versionsOf(item: unknown, parent: ListedParent): readonly ListedVersion[] {
  const type = TYPES.get(textOf(item, 'entryType') ?? '');
  const name = textOf(item, 'name');
  if (type === undefined || name === undefined) return [];
  const versions = parent.of === 'source' ? listOf(item, 'versions') : [item];
  const claims = claimsOf(item);
  return versions.flatMap((one) => {
    const version = textOf(one, 'version');
    if (version === undefined) return [];
    return [
      {
        type,
        name,
        version,
        title: textOf(one, 'title') ?? null,
        description: textOf(one, 'description') ?? '',
        status: textOf(one, 'status') ?? null,
        source: parent.of === 'source' ? parent.name : (textOf(one, 'sourceName') ?? null),
        claims,
        createdAt: textOf(one, 'createdAt') ?? null,
        updatedAt: textOf(one, 'updatedAt') ?? null,
      },
    ];
  });
}

function claimsOf(item: unknown): Readonly<Record<string, unknown>> {
  const claims = memberOf(item, 'claims');
  return typeof claims === 'object' && claims !== null ? Object.fromEntries(Object.entries(claims)) : {};
}

function isSelected(row: ListedVersion, { type, search }: EntrySelection): boolean {
  if (type !== undefined && row.type !== type) return false;
  if (search === undefined) return true;
  const requested = search.toLowerCase();
  return [row.name, row.title ?? '', row.description].some((text) => text.toLowerCase().includes(requested));
}
