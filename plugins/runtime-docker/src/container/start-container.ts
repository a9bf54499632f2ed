import type { EngineClient } from '../engine/engine-client.ts';
import { isConnectionError, statusOf, wordsOf } from '../engine/engine-fault.ts';
import { containerNotFound, networkNotFound, portTaken, startFailed } from '../errors.ts';

const PORT_TAKEN = /port is already allocated|address already in use|ports are not available/i;

/**
 * Matches Docker's message about a missing network, which Docker reports at the start and not at the
 * creation.
 */
const NETWORK_MISSING = /network (\S+) not found/i;

/**
 * Starts a container. Ignores a running one. Throws ERR_CONTAINER_NOT_FOUND, ERR_NETWORK_NOT_FOUND,
 * ERR_PORT_TAKEN, and ERR_CONTAINER_START with the engine's message.
 */
export async function startContainer(
  client: EngineClient,
  container: string,
  signal?: AbortSignal,
): Promise<void> {
  const start = async (): Promise<void> => {
    try {
      await client.docker.getContainer(container).start();
    } catch (error) {
      if (statusOf(error) !== 304) throw error;
    }
  };
  await client.call('start a container', start, {
    signal,
    translate: (error) => startFault(container, error),
  });
}

function startFault(container: string, error: unknown): Error | undefined {
  if (statusOf(error) === undefined && isConnectionError(error)) return undefined;
  const words = wordsOf(error);
  // The engine also returns 404 for a missing network or program.
  if (statusOf(error) === 404 && /no such container/i.test(words)) return containerNotFound(container, error);
  const network = NETWORK_MISSING.exec(words)?.[1];
  if (network !== undefined) return networkNotFound(network, error);
  return PORT_TAKEN.test(words) ? portTaken(container, words, error) : startFailed(container, words, error);
}
