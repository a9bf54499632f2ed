import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';
import type { WorkloadAddress } from '../../clients/client-entry.ts';
import { findWorkloadAddress } from '../../clients/workload-address.ts';
import { workloadUnknown } from '../../state/state-errors.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/** Where a workload is reached, by whoever speaks MCP. */
export interface ReachedWorkload extends WorkloadAddress {
  /** Whether callers have to prove who they are, to the proxy itself. */
  readonly asksCallers: boolean;
}

/**
 * Where a workload that runs is reached, as its files say: neither it nor the
 * engine is asked. Throws ERR_WORKLOAD_UNKNOWN and ERR_WORKLOAD_NOT_RUNNING.
 */
export async function reachWorkload(
  name: string,
  { store }: Pick<WorkloadContext, 'store'>,
): Promise<ReachedWorkload> {
  const workload = await store.find(name);
  if (workload === undefined) throw workloadUnknown(name);
  const address = await findWorkloadAddress(name, { store });
  if (address === undefined) throw workloadNotRunning(name, workload.state?.status ?? 'unknown');
  return { ...address, asksCallers: workload.config?.oidc_config !== undefined };
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
