import type { EntryType } from '@portolan/plugin-api';
import type { RegistryReader, VersionPage } from '@portolan/registry';
import { listJson } from '../responses/list-json.ts';
import { versionWithMeta } from '../responses/version-with-meta.ts';
import { encodeCursor } from '../parameters/cursor.ts';
import { listServersQuery, versionListRequest } from '../parameters/list-parameters.ts';
import { queryValues } from '../steps/read-parameters.ts';
import { registryOf } from '../request/request-state.ts';
import { type Render, render } from '../steps/serve-cached-page.ts';
import { readScope } from './read-scope.ts';

const LIST_KEYS = { server: 'servers', skill: 'skills', plugin: 'plugins' } as const;

/** Lists one page of versions of a type, with the cursor of the next page. */
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

/** Returns the position of the next page; undefined on the last page. */
export function nextKey(page: VersionPage): { readonly name: string; readonly version: string } | undefined {
  const last = page.rows.at(-1);
  return page.more && last !== undefined ? { name: last.name, version: last.version } : undefined;
}
