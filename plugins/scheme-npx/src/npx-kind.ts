import type { BuildHost, ConfigBlock, SchemeKind } from '@portolan/plugin-api';
import { hostOf } from '@portolan/scheme-kit';
import { checkNpmPackage } from './check-npm-package.ts';
import { planNpmImage } from './plan-npm-image.ts';
import { readNpmRegistries } from './npm-registries.ts';
import { listRegistryFlags } from './registry-flags.ts';
import { resolveNpmVersion } from './resolve-npm-version.ts';

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
