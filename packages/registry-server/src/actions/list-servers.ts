import type { RegistryReader, VersionPage } from '@portolan/registry';
import { listJson } from '../answers/list-json.ts';
import { serverJson } from '../answers/server-json.ts';
import { encodeCursor } from '../parameters/cursor.ts';
import { listServersQuery, serverListRequest } from '../parameters/list-parameters.ts';
import { queryValues } from '../steps/read-parameters.ts';
import { registryOf } from '../request/request-state.ts';
import { type Render, render } from '../steps/answer-page.ts';
import { readScope } from './read-scope.ts';

/** One page of servers, and the cursor of the next one when there is more. */
export function listServers(reader: RegistryReader): Render {
  return render('listServers', async (ctx) => {
    const { name } = registryOf(ctx);
    const { query, filters } = serverListRequest(name, queryValues(ctx, listServersQuery));
    const page = await reader.list(readScope(ctx), query);
    const next = nextKey(page);
    const cursor = next && encodeCursor({ registry: name, type: 'server' }, next, filters);
    return listJson('servers', page.rows, serverJson, cursor);
  });
}

/** Where the page after this one starts; undefined when this is the last. */
export function nextKey(page: VersionPage): { readonly name: string; readonly version: string } | undefined {
  const last = page.rows.at(-1);
  return page.more && last !== undefined ? { name: last.name, version: last.version } : undefined;
}
