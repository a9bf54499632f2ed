import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';
import type { WorkloadAddress } from '../../../clients/client-entry.ts';
import { findWorkloadAddress } from '../../../clients/workload-address.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

export interface ReachedWorkload extends WorkloadAddress {
  /** Whether the proxy requires callers to authenticate. */
  readonly asksCallers: boolean;
  /** Path prefix under which an external reverse proxy serves the message endpoints. */
  readonly endpointPrefix: string;
}

/**
 * Returns how to reach a running workload, from its files alone. Throws ERR_WORKLOAD_UNKNOWN,
 * ERR_WORKLOAD_NOT_RUNNING and ERR_STATE_BUSY.
 */
export async function reachWorkload(
  name: string,
  { store }: Pick<WorkloadContext, 'store'>,
): Promise<ReachedWorkload> {
  const workload = await store.find(name);
  if (workload === undefined) throw await store.unknown(name);
  const address = await findWorkloadAddress(name, { store });
  if (address === undefined) {
    const status = workload.state?.status ?? 'unknown';
    const isSoon = status === 'starting' || status === 'stopping';
    throw isSoon ? workloadChanging(name, status) : workloadNotRunning(name, status);
  }
  return {
    ...address,
    asksCallers: workload.config?.oidc_config !== undefined,
    endpointPrefix: workload.config?.endpoint_prefix ?? '',
  };
}

function workloadNotRunning(name: string, status: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_NOT_RUNNING',
    'unavailable',
    `The workload ${quote(name)} is not running: its status is ${status}.`,
    { hint: `Start it with \`portolan start ${name}\`; \`portolan status ${name}\` shows its status.` },
  );
}

function workloadChanging(name: string, status: string): PortolanError {
  return new PortolanError(
    'ERR_STATE_BUSY',
    'busy',
    `The workload ${quote(name)} is not ready: its status is ${status}.`,
    { hint: `Try again soon; \`portolan status ${name}\` shows its status.` },
  );
}
