import type { RegistryReader } from '@portolan/registry';
import { listJson } from '../responses/list-json.ts';
import { versionWithMeta } from '../responses/version-with-meta.ts';
import { entryNotFound } from '../steps/access/access-errors.ts';
import { includeDeleted } from '../parameters/list-parameters.ts';
import { registryName, serverName } from '../parameters/path-parameters.ts';
import { pathValues, queryValues } from '../steps/read-parameters.ts';
import { type Render, render } from '../steps/serve-cached-page.ts';
import { readScope } from './read-scope.ts';

export const serverPath = { registryName, serverName };
export const versionsQuery = { include_deleted: includeDeleted };

/** Lists versions, newest first. Throws ERR_ENTRY_NOT_FOUND when none is visible. */
export function listServerVersions(reader: RegistryReader): Render {
  return render('listServerVersions', async (ctx) => {
    const { serverName: name } = pathValues(ctx, serverPath);
    const withDeleted = queryValues(ctx, versionsQuery).include_deleted === true;
    const rows = await reader.versions(readScope(ctx), 'server', name, { includeDeleted: withDeleted });
    if (rows.length === 0) throw entryNotFound();
    return listJson('servers', rows, versionWithMeta);
  });
}
