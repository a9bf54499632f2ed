import type {
  BuildHost,
  ConfigBlock,
  SchemeKind,
  IndexedPackage,
  PluginContext,
  SchemeOptions,
  BuildPreparation,
} from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '@portolan/plugin-api';
import { hostOf, packageNotFound } from '@portolan/scheme-kit';
import { checkNpmPackage } from './check-npm-package.ts';
import { planNpmImage } from './plan-npm-image.ts';
import { readNpmRegistries, type NpmRegistries, keyOfVariable, readVariables } from './npm-registries.ts';
import { describeNpmPackage } from './describe-npm-package.ts';

export const npxConfig = {
  type: 'object',
  title: 'npm packages',
  description: 'Runs an npm package. Has no settings of its own: it uses those of npm.',
  properties: {},
} as const satisfies ConfigBlock;

/** Scheme kind `npx`: packages of npm, from the registries in npm's settings. */
export const npxScheme: SchemeKind<typeof npxConfig> = {
  kind: 'npx',
  config: npxConfig,
  packages: 'npm',
  create: (_config, context) => ({
    authFiles: ['npmrc', 'yarnrc', 'netrc'],
    resolveVersion: async (reference, options) =>
      await resolveNpmVersion(reference, await readNpmRegistries(options), context, options),
    findIntegrity: async (reference, options) =>
      await findNpmIntegrity(reference, await readNpmRegistries(options), context, options),
    checkPackage: async (reference, options) =>
      await checkNpmPackage(reference, await readNpmRegistries(options), context, options),
    async listIndexes(options) {
      const { usual, ofScopes } = await readNpmRegistries(options);
      return [usual, ...ofScopes.values()].map(({ href }) => href);
    },
    planBuild: async (input, options) =>
      await planNpmImage(input, await listRegistryFlags(input.prepared, options), options),
    async reachesHosts(_input, options) {
      const { usual, ofScopes } = await readNpmRegistries(options);
      const hosts = [usual, ...ofScopes.values()].map(hostOf);
      return [...new Map<string, BuildHost>(hosts.map((one) => [`${one.host}:${one.port}`, one])).values()];
    },
  }),
};

/**
 * Returns an exact version unchanged, the version of a tag (default: `latest`), the newest of a range. Throws
 * ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_INDEX.
 */
async function resolveNpmVersion(
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

/** Returns the integrity of an exact version as npm's registry names it. Throws ERR_PACKAGE_NOT_FOUND, ERR_PACKAGE_INDEX. */
async function findNpmIntegrity(
  { name, version = '' }: IndexedPackage,
  registries: NpmRegistries,
  context: Pick<PluginContext, 'openFetch'>,
  options: SchemeOptions,
): Promise<string | undefined> {
  const { registry, versions } = await describeNpmPackage({ name }, registries, context, options);
  const description = versions.get(version);
  if (description === undefined) throw packageNotFound(`${name}@${version}`, registry);
  const dist = memberOf(description, 'dist');
  const integrity = isJsonObject(dist) ? memberOf(dist, 'integrity') : undefined;
  return typeof integrity === 'string' ? integrity : undefined;
}

/**
 * Returns the newest version in a range of npm: `^1.2`, `~1.2.3`, `1.x`, `>=1 <2`, `1 || 2`, `1 - 2`.
 * Pre-releases count only where the range names one of the same release.
 */
export async function newestInRange(range: string, versions: readonly string[]): Promise<string | undefined> {
  // Loaded on demand: exact versions and tags do not need it.
  const { default: maxSatisfying } = await import('semver/ranges/max-satisfying.js');
  return maxSatisfying(versions, range) ?? undefined;
}

/**
 * Flags name the registries, because no local `.npmrc` is copied into a stage. Omits what npm reads in the
 * build itself. Throws what `readNpmRegistries` throws.
 */
export async function listRegistryFlags(
  prepared: BuildPreparation | undefined,
  options: SchemeOptions,
): Promise<readonly string[]> {
  const { usual, ofScopes } = await readNpmRegistries(options);
  const registryFlags = (prepared?.variables ?? []).map((name) => keyOfVariable(name));
  // Whether the registry is fixed. The npmrc file of builds may name any registry; variables of this process
  // still take precedence.
  const isFixed = (key: string): boolean =>
    !registryFlags.includes(key) &&
    (prepared?.authFiles.includes('npmrc') !== true || readVariables(options.environment).has(key));
  return [
    ...(isFixed('registry') ? [`--registry=${usual.href}`] : []),
    ...[...ofScopes].flatMap(([scope, { href }]) =>
      isFixed(`${scope}:registry`) ? [`--${scope}:registry=${href}`] : [],
    ),
  ];
}
