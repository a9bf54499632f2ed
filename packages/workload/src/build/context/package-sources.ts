import { randomBytes } from 'node:crypto';
import type { BuildHost, Labels, ContainerEngine } from '@portolan/plugin-api';

const SCRIPT =
  'for file in /etc/apk/repositories /etc/apt/sources.list /etc/apt/sources.list.d/*; do [ ! -f "$file" ] || cat "$file"; echo; done';

/** Returns the hosts of an image's system package sources, read in a container without a network. */
export async function readPackageSources(
  runtime: ContainerEngine,
  image: string,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly BuildHost[]> {
  const container = await runtime.createContainer(
    {
      name: `portolan-sources-${randomBytes(6).toString('hex')}`,
      image,
      entrypoint: ['/bin/sh', '-c', SCRIPT],
      command: [],
      environment: {},
      labels,
      network: { mode: 'none' },
      logs: { maxBytes: 1_000_000, files: 1 },
    },
    signal,
  );
  try {
    await runtime.startContainer(container, signal);
    const lines: string[] = [];
    const options = { follow: true, ...(signal === undefined ? {} : { signal }) };
    for await (const { text } of runtime.readLogs(container, options)) lines.push(text);
    return hostsIn(lines);
  } finally {
    await runtime.removeContainer(container);
  }
}

export function hostsIn(lines: readonly string[]): readonly BuildHost[] {
  const addresses = lines
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.match(/https?:\/\/[^\s"'<>]+/g) ?? [])
    .flatMap((text) => URL.parse(text) ?? []);
  const hosts = addresses.map(({ hostname, port, protocol }) => ({
    host: hostname,
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  }));
  return [...new Map(hosts.map((one) => [`${one.host}:${one.port}`, one])).values()];
}
