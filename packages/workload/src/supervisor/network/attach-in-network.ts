import type { Attachment, ContainerEngine } from '@portolan/plugin-api';
import { isUnreachable } from '../server/engine-calls.ts';
import type { JoinableNetwork } from './workload-network.ts';

/**
 * Connects to a container that is not started yet. Podman makes one ready for
 * whoever attaches to it, which it can only do when the gateway runs whose
 * network it joins: then it is asked again when that is so. Throws what the
 * engine does, or why there is no gateway.
 */
export async function attachInNetwork(
  runtime: Pick<ContainerEngine, 'attachContainer'>,
  id: string,
  gateway: Pick<JoinableNetwork, 'ready'> | undefined,
  signal: AbortSignal,
): Promise<Attachment> {
  try {
    return await runtime.attachContainer(id, signal);
  } catch (error) {
    if (gateway === undefined || isUnreachable(error) || signal.aborted) throw error;
    await gateway.ready();
    return await runtime.attachContainer(id, signal);
  }
}
