import type { ContainerDescription, ImageDescription, Logger, ContainerEngine } from '@portolan/plugin-api';
import { roleOf } from '../../state/workload-labels.ts';
import { removeForCertain } from './engine-calls.ts';

/** What of an earlier supervisor goes on as it is. */
export interface Adopted {
  readonly server: string | undefined;
  readonly gateway: string | undefined;
}

export interface LeftoverFacts {
  /** Containers of this workload that are there. */
  readonly found: readonly ContainerDescription[];
  readonly image: Pick<ImageDescription, 'id'>;
  /** Whether the server is one container that serves all clients, so that it has something to keep. */
  readonly isShared: boolean;
  /** Whether the server's container is in the network of a gateway. */
  readonly needsGateway: boolean;
}

export const NOTHING_ADOPTED: Adopted = { server: undefined, gateway: undefined };

/**
 * What can be taken over from a supervisor that died: a server that runs from
 * the same image, with its gateway where it has one. Anything less is removed.
 */
export function chooseAdopted({ found, image, isShared, needsGateway }: LeftoverFacts): Adopted {
  if (!isShared) return NOTHING_ADOPTED;
  const running = found.filter(({ state }) => state.running);
  const servers = running.filter(
    ({ labels, imageId }) => roleOf(labels) === 'server' && imageId === image.id,
  );
  const gateways = running.filter(({ labels }) => roleOf(labels) === 'gateway');
  const [server, ...more] = servers;
  const [gateway, ...moreGateways] = gateways;
  if (server === undefined || more.length > 0 || moreGateways.length > 0) return NOTHING_ADOPTED;
  if (needsGateway !== (gateway !== undefined)) return NOTHING_ADOPTED;
  return { server: server.id, gateway: gateway?.id };
}

/** Removes what is there and is not taken over. A build that runs meanwhile is not ours. */
export async function removeLeftovers(
  found: readonly ContainerDescription[],
  kept: Adopted,
  runtime: ContainerEngine,
  logger: Logger,
): Promise<void> {
  const left = found.filter(
    ({ id, labels }) => id !== kept.server && id !== kept.gateway && roleOf(labels) !== 'build',
  );
  await Promise.all(left.map(({ id }) => removeForCertain(runtime, id, logger)));
}
