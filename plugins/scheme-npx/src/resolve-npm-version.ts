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
  { name, version: npmVersion = 'latest', pinned }: IndexedPackage,
  registries: NpmRegistries,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<string> {
  if (pinned) return npmVersion;
  const { registry, tags, versions } = await describeNpmPackage({ name }, registries, context, options);
  const tag = tags.get(npmVersion) ?? (await newestInRange(npmVersion, [...versions.keys()]));
  if (tag === undefined) throw packageNotFound(`${name}@${npmVersion}`, registry);
  return tag;
}
