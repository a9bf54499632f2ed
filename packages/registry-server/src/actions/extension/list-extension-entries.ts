import type { RegistryReader } from '@portolan/registry';
import { extensionJson } from '../../responses/extension-json.ts';
import { listJson } from '../../responses/list-json.ts';
import { encodeCursor } from '../../parameters/cursor.ts';
import { extensionListRequest, listExtensionQuery } from '../../parameters/list-parameters.ts';
import { queryValues } from '../../steps/read-parameters.ts';
import { registryOf } from '../../request/request-state.ts';
import { type Render, render } from '../../steps/serve-cached-page.ts';
import { nextKey } from '../list-versions.ts';
import { readScope } from '../read-scope.ts';

/** Entry types that the MCP registry API does not have, with their list keys. */
export const EXTENSION_KEYS = { skill: 'skills', plugin: 'plugins' } as const;
export type ExtensionType = keyof typeof EXTENSION_KEYS;

/** Lists one page of skills or plugins, each with its latest version. */
export function listExtensionEntries(reader: RegistryReader, type: ExtensionType): Render {
  return render('listExtensionEntries', async (ctx) => {
    const { name } = registryOf(ctx);
    const { query, filters } = extensionListRequest(name, type, queryValues(ctx, listExtensionQuery));
    const page = await reader.list(readScope(ctx), query);
    const next = nextKey(page);
    const cursor = next && encodeCursor({ registry: name, type }, next, filters);
    return listJson(EXTENSION_KEYS[type], page.rows, extensionJson, cursor);
  });
}
