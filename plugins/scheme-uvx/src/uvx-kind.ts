import type { ConfigBlock, SchemeKind } from '@portolan/plugin-api';
import { hostsOf } from './index-hosts.ts';
import { planPythonImage } from './plan-python-image.ts';
import { readPythonIndexes } from './python-indexes.ts';
import { resolvePythonVersion } from './resolve-python-version.ts';

export const uvxConfig = {
  type: 'object',
  title: 'Python packages',
  description:
    'Runs a package of a Python package index. Has no settings of its own: it uses those of uv and pip.',
  properties: {},
} as const satisfies ConfigBlock;

/** Scheme kind `uvx`: Python packages, from the indexes in the settings of uv or pip. */
export const uvxScheme: SchemeKind<typeof uvxConfig> = {
  kind: 'uvx',
  config: uvxConfig,
  packages: 'python',
  create: (_config, context) => ({
    authFiles: ['netrc'],
    resolveVersion: async (reference, options) =>
      await resolvePythonVersion(reference, await readPythonIndexes(options), context, options),
    async listIndexes(options) {
      const { usual, more } = await readPythonIndexes(options);
      return [usual, ...more].map(({ href }) => href);
    },
    planBuild: async (input, options) =>
      await planPythonImage(input, await readPythonIndexes(options), options),
    reachesHosts: async (_input, options) => hostsOf(await readPythonIndexes(options)),
  }),
};
