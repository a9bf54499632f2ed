import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';
import type { WorkloadAddress } from '../../../clients/client-entry.ts';
import { findWorkloadAddress } from '../../../clients/workload-address.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/** Where a workload is reached, by whoever speaks MCP. */
export interface ReachedWorkload extends WorkloadAddress {
  /** Whether callers have to prove who they are, to the proxy itself. */
  readonly asksCallers: boolean;
  /** What stands before the message address of an event stream for clients outside, and is not ours. */
  readonly endpointPrefix: string;
}

/**
 * Where a workload that runs is reached, as its files say: neither it nor the
 * engine is asked. Throws ERR_WORKLOAD_UNKNOWN, ERR_WORKLOAD_NOT_RUNNING
 * and ERR_STATE_BUSY.
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

/** A workload that should be spoken to does not run. */
function workloadNotRunning(name: string, status: string): PortolanError {
  return new PortolanError(
    'ERR_WORKLOAD_NOT_RUNNING',
    'unavailable',
    `The workload ${quote(name)} is not running: its status is ${status}.`,
    { hint: `Start it with \`portolan start ${name}\`; \`portolan status ${name}\` says how it is.` },
  );
}

/** A workload that should be spoken to is on its way from one state to another. */
function workloadChanging(name: string, status: string): PortolanError {
  return new PortolanError(
    'ERR_STATE_BUSY',
    'busy',
    `The workload ${quote(name)} is not ready: its status is ${status}.`,
    { hint: `Try again soon; \`portolan status ${name}\` says how it is.` },
  );
}
