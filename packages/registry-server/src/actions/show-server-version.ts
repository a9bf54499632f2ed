import type { RegistryReader } from '@portolan/registry';
import { versionWithMeta } from '../responses/version-with-meta.ts';
import { entryNotFound } from '../steps/access/access-errors.ts';
import { registryName, serverName, version } from '../parameters/path-parameters.ts';
import { pathValues, queryValues } from '../steps/read-parameters.ts';
import { type Render, render } from '../steps/serve-cached-page.ts';
import { versionsQuery } from './list-server-versions.ts';
import { readScope } from './read-scope.ts';

export const serverVersionPath = { registryName, serverName, version };

/** Shows one version of a server. Throws ERR_ENTRY_NOT_FOUND when it is absent or hidden. */
export function showServerVersion(reader: RegistryReader): Render {
  return render('showServerVersion', async (ctx) => {
    const path = pathValues(ctx, serverVersionPath);
    const withDeleted = queryValues(ctx, versionsQuery).include_deleted === true;
    const options = { includeDeleted: withDeleted };
    const row = await reader.version(readScope(ctx), 'server', path.serverName, path.version, options);
    if (row === undefined) throw entryNotFound();
    return `${versionWithMeta(row)}\n`;
  });
}
