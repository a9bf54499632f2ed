import type { RegistryReader } from '@portolan/registry';
import { version } from '../parameters/path-parameters.ts';
import { entryNotFound } from '../steps/access/access-errors.ts';
import { pathValues, queryValues } from '../steps/read-parameters.ts';
import { type Render, render } from '../steps/serve-cached-page.ts';
import { readScope } from './read-scope.ts';
import { serverVersionPath } from './show-server-version.ts';

export const changesQuery = {
  from: {
    description: 'The version to compare with. Default: the version before.',
    expected: version.expected,
    schema: version.schema,
  },
} as const;

/**
 * Shows how the definitions of a version differ from those of another. Throws ERR_ENTRY_NOT_FOUND when one of
 * the two is absent or hidden.
 */
export function showChanges(reader: RegistryReader): Render {
  return render('showChanges', async (ctx) => {
    const { serverName, version: requested } = pathValues(ctx, serverVersionPath);
    const { from } = queryValues(ctx, changesQuery);
    const scope = readScope(ctx);
    const after = await reader.version(scope, 'server', serverName, requested);
    if (after === undefined) throw entryNotFound();
    const before =
      from === undefined
        ? await findVersionBefore(reader, scope, after)
        : await reader.version(scope, 'server', serverName, from);
    if (before === undefined && from !== undefined) throw entryNotFound();
    const { changesJson } = await import('../responses/changes-json.ts'); // rarely used
    return changesJson(before, after);
  });
}

async function findVersionBefore(
  reader: RegistryReader,
  scope: ReturnType<typeof readScope>,
  { name, version: after }: { readonly name: string; readonly version: string },
) {
  const versions = await reader.versions(scope, 'server', name);
  const at = versions.findIndex((row) => row.version === after);
  return at < 0 ? undefined : versions[at + 1];
}
