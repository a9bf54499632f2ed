import type { ConfigBlock, SchemeKind } from '@portolan/plugin-api';
import { listGoHosts } from './go-hosts.ts';
import { readGoSettings } from './go-settings.ts';
import { planGoImage } from './plan-go-image.ts';
import { resolveGoVersion } from './resolve-go-version.ts';

export const goConfig = {
  type: 'object',
  title: 'Go modules',
  description: 'Runs a Go module, or a local Go project. Has no settings of its own: it uses those of Go.',
  properties: {},
} as const satisfies ConfigBlock;

/** Scheme kind `go`: modules from the proxies in Go's settings, and local folders. */
export const goScheme: SchemeKind<typeof goConfig> = {
  kind: 'go',
  config: goConfig,
  packages: 'go',
  create: (_config, context) => ({
    authFiles: ['netrc'],
    resolveVersion: async (reference, options) =>
      await resolveGoVersion(reference, await readGoSettings(options), context, options),
    planBuild: async (input, options) => await planGoImage(input, await readGoSettings(options), options),
    reachesHosts: async (input, options) => listGoHosts(input, await readGoSettings(options)),
  }),
};
