import { type RunConfig, type Setting, parsePublishedPort } from '@portolan/run-spec';
import { choosePort, isPortFree } from '../../state/choose-port.ts';
import type { StoredWorkload } from '../../state/workload-store.ts';

export interface PortsRequest {
  readonly host: string;
  readonly proxyPort: Setting<number> | undefined;
  /** All workloads, including stopped ones, which keep their ports. */
  readonly workloads: readonly StoredWorkload[];
  readonly replaced: RunConfig | undefined;
  readonly isFree?: (port: number, host: string) => Promise<boolean>;
}

/**
 * Returns the requested port, or a free one. A replacement keeps the port of the replaced workload. Throws
 * ERR_PORT_TAKEN and ERR_NO_FREE_PORT.
 */
export async function chooseProxyPort(request: PortsRequest): Promise<Setting<number>> {
  const { host, proxyPort, workloads, replaced, isFree = isPortFree } = request;
  const remaining = reservedPorts(workloads.filter(({ config }) => config?.name !== replaced?.name));
  const requested = proxyPort?.from === 'flag' || proxyPort?.from === 'file' ? proxyPort.value : undefined;
  const preferred = proxyPort?.value ?? (replaced?.port === 0 ? undefined : replaced?.port);
  const value = await choosePort({
    requested,
    preferred,
    host,
    reserved: remaining,
    isFree: async (port, at) => port === replaced?.port || (await isFree(port, at)),
  });
  if (proxyPort !== undefined && value === proxyPort.value) return proxyPort;
  if (value === replaced?.port)
    return { value, from: 'rule', by: 'the port of the workload that it replaces' };
  return { value, from: 'rule', by: A_FREE_PORT };
}

const A_FREE_PORT = 'a free port';

export function isAnyPort({ from, by }: Setting<number>): boolean {
  return from === 'rule' && by === A_FREE_PORT;
}

/** Returns a free port for a server that gets its port from Portolan. */
export async function chooseFreePort(
  workloads: readonly StoredWorkload[],
  proxyPort: number,
): Promise<number> {
  const remaining = new Set([...reservedPorts(workloads), proxyPort]);
  return await choosePort({ host: '127.0.0.1', reserved: remaining });
}

/** Returns the ports that workloads use at their next start. */
export function reservedPorts(workloads: readonly StoredWorkload[]): ReadonlySet<number> {
  const ports = workloads.flatMap(({ config }) => {
    if (config === undefined) return [];
    const published = config.publish.map((text) => parsePublishedPort(text, 'publish').hostPort ?? 0);
    return [config.port, ...published];
  });
  return new Set(ports.filter((port) => port > 0));
}
