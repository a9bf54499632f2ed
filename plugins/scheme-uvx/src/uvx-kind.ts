import type { ConfigBlock, SchemeKind, BuildHost } from '@portolan/plugin-api';
import { planPythonImage } from './plan-python-image.ts';
import { readPythonIndexes, type PythonIndexes } from './python-indexes.ts';
import { resolvePythonVersion } from './resolve-python-version.ts';
import { hostOf } from '@portolan/scheme-kit';

/** Host from which the public index serves files, which differs from the host of its pages. */
const FILES: Readonly<Record<string, string>> = { 'pypi.org': 'files.pythonhosted.org' };

/** Returns the hosts of an index, including its download hosts where these are known to differ. */
export function hostsOf({ usual, more }: PythonIndexes): readonly BuildHost[] {
  const hosts = [usual, ...more].map(hostOf).flatMap((one) => {
    const files = FILES[one.host];
    return files === undefined ? [one] : [one, { host: files, port: 443 }];
  });
  return [...new Map(hosts.map((one) => [`${one.host}:${one.port}`, one])).values()];
}

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
