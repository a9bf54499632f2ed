import { type RunConfig, type Setting, parsePublishedPort } from '@portolan/run-spec';
import { choosePort, isPortFree } from '../../state/choose-port.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';

export interface PortsRequest {
  readonly host: string;
  /** Port of the proxy that is asked for, or that the entry would like. */
  readonly proxyPort: Setting<number> | undefined;
  /** All workloads that there are: stopped ones keep their ports. */
  readonly workloads: readonly StoredWorkload[];
  /** The workload that makes room; its port is as good as free. */
  readonly replaced: RunConfig | undefined;
  readonly isFree?: (port: number, host: string) => Promise<boolean>;
}

/**
 * The proxy's port: the one asked for, or a free one that no other workload
 * keeps. A workload that takes the place of another keeps its address when
 * nothing else is asked for. Throws ERR_PORT_TAKEN and ERR_NO_FREE_PORT.
 */
export async function chooseProxyPort(request: PortsRequest): Promise<Setting<number>> {
  const { host, proxyPort, workloads, replaced, isFree = isPortFree } = request;
  const kept = keptPorts(workloads.filter(({ config }) => config?.name !== replaced?.name));
  const asked = proxyPort?.from === 'flag' || proxyPort?.from === 'file' ? proxyPort.value : undefined;
  const preferred = proxyPort?.value ?? (replaced?.port === 0 ? undefined : replaced?.port);
  const value = await choosePort({
    asked,
    preferred,
    host,
    kept,
    isFree: async (port, at) => port === replaced?.port || (await isFree(port, at)),
  });
  if (proxyPort !== undefined && value === proxyPort.value) return proxyPort;
  if (value === replaced?.port)
    return { value, from: 'rule', by: 'the port of the workload that it replaces' };
  return { value, from: 'rule', by: A_FREE_PORT };
}

const A_FREE_PORT = 'a free port';

/** Returns whether the port was chosen only because it was free. */
export function isAnyPort({ from, by }: Setting<number>): boolean {
  return from === 'rule' && by === A_FREE_PORT;
}

/** A port that nothing on this machine and no workload uses, for a server that is told its port. */
export async function chooseFreePort(
  workloads: readonly StoredWorkload[],
  proxyPort: number,
): Promise<number> {
  const kept = new Set([...keptPorts(workloads), proxyPort]);
  return await choosePort({ host: '127.0.0.1', kept });
}

/** Ports that workloads come back to when they are started again. */
export function keptPorts(workloads: readonly StoredWorkload[]): ReadonlySet<number> {
  const ports = workloads.flatMap(({ config }) => {
    if (config === undefined) return [];
    const published = config.publish.map((text) => parsePublishedPort(text, 'publish').hostPort ?? 0);
    return [config.port, ...published];
  });
  return new Set(ports.filter((port) => port > 0));
}
