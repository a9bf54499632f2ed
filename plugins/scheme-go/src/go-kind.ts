import type { ConfigBlock, SchemeKind, BuildHost, BuildInput } from '@portolan/plugin-api';
import { readGoSettings, type GoSettings } from './go-settings.ts';
import { planGoImage } from './plan-go-image.ts';
import { resolveGoVersion } from './resolve-go-version.ts';
import { hostOf } from '@portolan/scheme-kit';

/** Download hosts of the public proxy, which serves large modules from separate storage. */
const DOWNLOADS: Readonly<Record<string, string>> = { 'proxy.golang.org': 'storage.googleapis.com' };

/**
 * Returns the hosts of a build: proxies, their download hosts and the checksum database, and the module's own
 * host where Go would contact it before any proxy.
 */
export function listGoHosts({ reference }: BuildInput, settings: GoSettings): readonly BuildHost[] {
  const { proxies, checksums, direct } = settings;
  const hosts: BuildHost[] = [];
  for (const { from } of proxies) {
    if (typeof from === 'string') continue;
    const proxy = hostOf(from);
    const downloads = DOWNLOADS[proxy.host];
    hosts.push(proxy, ...(downloads === undefined ? [] : [{ host: downloads, port: 443 }]));
  }
  if (checksums !== undefined) hosts.push(hostOf(checksums));
  if (reference.from === 'index') {
    const isDirect =
      proxies[0]?.from === 'direct' || direct.some((pattern) => isBelow(reference.name, pattern));
    const [domain = ''] = reference.name.split('/');
    if (isDirect) hosts.push({ host: domain, port: 443 });
  }
  return [...new Map(hosts.map((one) => [`${one.host}:${one.port}`, one])).values()];
}

/** Returns whether a path matches a pattern of GOPRIVATE, where `*` is any text without a slash. */
function isBelow(name: string, pattern: string): boolean {
  const elements = name.split('/');
  return pattern.split('/').every((part, at) => {
    const escaped = part
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '[^/]*')
      .replaceAll('?', '[^/]');
    return new RegExp(`^${escaped}$`).test(elements[at] ?? '');
  });
}

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
