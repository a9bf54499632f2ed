import type { ImageDescription } from '@portolan/plugin-api';
import type { ImageInspectInfo } from 'dockerode';

const UNTAGGED = '<none>';

export function describeImage(info: ImageInspectInfo): ImageDescription {
  // Some engines omit the configuration of an imported image, and all use null for empty lists.
  const config: Partial<ImageInspectInfo['Config']> = info.Config ?? {};
  return {
    id: info.Id.startsWith('sha256:') ? info.Id : `sha256:${info.Id}`,
    references: (info.RepoTags ?? []).filter((tag) => !tag.includes(UNTAGGED)),
    digests: (info.RepoDigests ?? []).filter((digest) => !digest.includes(UNTAGGED)),
    os: info.Os,
    architecture: info.Architecture,
    labels: config.Labels ?? {},
    environment: Object.fromEntries((config.Env ?? []).map(splitVariable)),
    entrypoint: listOf(config.Entrypoint),
    command: listOf(config.Cmd),
    user: config.User ?? '',
    workingDirectory: config.WorkingDir ?? '',
    exposedPorts: Object.keys(config.ExposedPorts ?? {}).flatMap(portOf),
    onBuild: listOf(config.OnBuild),
    sizeBytes: info.Size,
    createdAt: new Date(info.Created),
  };
}

function listOf(value: string | string[] | null | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function splitVariable(variable: string): readonly [string, string] {
  const sign = variable.indexOf('=');
  return sign === -1 ? [variable, ''] : [variable.slice(0, sign), variable.slice(sign + 1)];
}

/** Parses a port such as `8080/tcp`; a range yields each of its ports. */
function portOf(key: string): ImageDescription['exposedPorts'] {
  const match = /^(\d+)(?:-(\d+))?(?:\/(tcp|udp))?$/.exec(key);
  if (match === null) return [];
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  const protocol = match[3] === 'udp' ? 'udp' : 'tcp';
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => ({
    port: first + index,
    protocol,
  }));
}
