import type { EntryType } from '@portolan/plugin-api';
import type { RegistryReader, VersionPage } from '@portolan/registry';
import { listJson } from '../answers/list-json.ts';
import { versionWithMeta } from '../answers/version-with-meta.ts';
import { encodeCursor } from '../parameters/cursor.ts';
import { listServersQuery, versionListRequest } from '../parameters/list-parameters.ts';
import { queryValues } from '../steps/read-parameters.ts';
import { registryOf } from '../request/request-state.ts';
import { type Render, render } from '../steps/answer-page.ts';
import { readScope } from './read-scope.ts';

/** The keys of lists of versions. */
const LIST_KEYS = { server: 'servers', skill: 'skills', plugin: 'plugins' } as const;

/** One page of versions of a type, and the cursor of the next one when there is more. */
export function listVersions(reader: RegistryReader, type: EntryType): Render {
  return render('listVersions', async (ctx) => {
    const { name } = registryOf(ctx);
    const { query, filters } = versionListRequest(name, type, queryValues(ctx, listServersQuery));
    const page = await reader.list(readScope(ctx), query);
    const next = nextKey(page);
    const cursor = next && encodeCursor({ registry: name, type }, next, filters);
    return listJson(LIST_KEYS[type], page.rows, versionWithMeta, cursor);
  });
}

/** Where the page after this one starts; undefined when this is the last. */
export function nextKey(page: VersionPage): { readonly name: string; readonly version: string } | undefined {
  const last = page.rows.at(-1);
  return page.more && last !== undefined ? { name: last.name, version: last.version } : undefined;
}
