import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import type { WorkloadAddress } from './client-entry.ts';

/**
 * Returns the URL and transport of a workload; undefined when it does not run or its files are unreadable.
 */
export async function findWorkloadAddress(
  name: string,
  { store }: Pick<WorkloadContext, 'store'>,
): Promise<WorkloadAddress | undefined> {
  const workload = await store.find(name);
  if (workload?.state === undefined || workload.config === undefined) return undefined;
  const { status, url } = workload.state;
  const runs = ['running', 'idle', 'unhealthy', 'unauthenticated', 'auth_retrying', 'waiting'].includes(
    status,
  );
  return runs && url !== '' ? { name, url, transport: clientTransportOf(workload.config) } : undefined;
}

export function clientTransportOf({
  transport,
  proxy_mode: proxyMode,
}: Pick<RunConfig, 'transport' | 'proxy_mode'>): WorkloadAddress['transport'] {
  return (proxyMode === '' ? transport : proxyMode) === 'sse' ? 'sse' : 'streamable-http';
}
