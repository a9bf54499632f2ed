import type { ContainerDescription, ImageDescription, Logger, ContainerEngine } from '@portolan/plugin-api';
import { roleOf } from '../../state/workload-labels.ts';
import { removeForCertain } from './engine-calls.ts';

export interface Adopted {
  readonly server: string | undefined;
  readonly gateway: string | undefined;
}

export interface LeftoverFacts {
  readonly containers: readonly ContainerDescription[];
  readonly image: Pick<ImageDescription, 'id'>;
  /** Whether one container serves all clients. Only such a container is adopted. */
  readonly isShared: boolean;
  readonly needsGateway: boolean;
}

export const NOTHING_ADOPTED: Adopted = { server: undefined, gateway: undefined };

/**
 * Selects the containers to adopt from a dead supervisor: a running server of the same image, and its gateway
 * if it needs one. Adopts nothing when a part is missing or ambiguous.
 */
export function chooseAdopted({ containers, image, isShared, needsGateway }: LeftoverFacts): Adopted {
  if (!isShared) return NOTHING_ADOPTED;
  const running = containers.filter(({ state }) => state.running);
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

/** Removes all containers that are not adopted, except containers of a build, which may still be running. */
export async function removeLeftovers(
  matches: readonly ContainerDescription[],
  adopted: Adopted,
  runtime: ContainerEngine,
  logger: Logger,
): Promise<void> {
  const left = matches.filter(
    ({ id, labels }) => id !== adopted.server && id !== adopted.gateway && roleOf(labels) !== 'build',
  );
  await Promise.all(left.map(({ id }) => removeForCertain(runtime, id, logger)));
}
