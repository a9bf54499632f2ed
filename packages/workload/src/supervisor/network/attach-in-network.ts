import type { Attachment, ContainerEngine } from '@portolan/plugin-api';
import { isUnreachable } from '../server/engine-calls.ts';
import type { JoinableNetwork } from './workload-network.ts';

/**
 * Attaches to a container before its start. On Podman this fails until the gateway whose network the
 * container joins is running. Therefore the function waits for the gateway and retries once. Throws what the
 * engine throws, or why there is no gateway.
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
