import { checkApiVersions } from './check-api-version.ts';
import type { InstalledPlugin } from './plugin-origins.ts';
import { isAnnounced, readManifests } from './read-manifest.ts';
import { resolvePlugins } from './resolve-plugin.ts';

/**
 * Checks the manifest of an installed package without running its code. Returns false when its package.json
 * has no key `portolan`. Throws ERR_PLUGIN_NOT_FOUND and ERR_PLUGIN_SHAPE.
 */
export async function checkInstalledPlugin({ specifier, from }: InstalledPlugin): Promise<boolean> {
  const resolved = resolvePlugins([
    {
      specifier,
      options: {},
      optionsPlace: ['plugins'],
      override: false,
      shipped: false,
      from,
      installed: true,
    },
  ]);
  const [plugin] = resolved;
  if (plugin === undefined || !(await isAnnounced(plugin))) return false;
  checkApiVersions(await readManifests(resolved));
  return true;
}
