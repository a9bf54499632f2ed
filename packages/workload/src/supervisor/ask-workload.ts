import type { ProbeResult } from '@portolan/mcp-client';
import { required, type Supervision } from './supervision.ts';

/** Checks whether the server of a workload responds, through its proxy; the server of a member directly. */
export async function askWorkload(
  { ask, config, context, ownRequests, proxy }: Supervision,
  signal: AbortSignal,
): Promise<ProbeResult> {
  if (ask !== undefined) return await ask(signal);
  const { askServer } = await import('@portolan/mcp-client'); // the proxy has already loaded this module
  const isSse = config.proxy_mode === 'sse' || config.transport === 'sse';
  return await askServer({
    url: new URL(required(proxy, 'proxy').url),
    speaks: isSse ? 'sse' : 'streamable-http',
    endpointPrefix: config.endpoint_prefix,
    version: context.version,
    ownRequests: required(ownRequests, 'ownRequests'),
    signal,
  });
}
