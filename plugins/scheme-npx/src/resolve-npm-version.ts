import type { IndexedPackage, PluginContext, SchemeOptions } from '@portolan/plugin-api';
import { packageNotFound } from '@portolan/scheme-kit';
import { describeNpmPackage } from './describe-npm-package.ts';
import type { NpmRegistries } from './npm-registries.ts';
import { newestInRange } from './newest-in-range.ts';

/**
 * Returns an exact version unchanged, the version of a tag (default: `latest`), the newest of a range. Throws
 * ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_INDEX.
 */
export async function resolveNpmVersion(
  { name, version: wanted = 'latest', pinned }: IndexedPackage,
  registries: NpmRegistries,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<string> {
  if (pinned) return wanted;
  const { registry, tags, versions } = await describeNpmPackage({ name }, registries, context, options);
  const found = tags.get(wanted) ?? (await newestInRange(wanted, [...versions.keys()]));
  if (found === undefined) throw packageNotFound(`${name}@${wanted}`, registry);
  return found;
}
