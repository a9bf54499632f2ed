import type { Labels, NetworkDescription } from '@portolan/plugin-api';
import type { NetworkInspectInfo } from 'dockerode';
import type { EngineClient } from '../engine/engine-client.ts';
import { statusOf } from '../engine/engine-fault.ts';
import { labelFilter } from '../engine/label-filter.ts';

export async function listNetworks(
  client: EngineClient,
  labels: Labels,
  signal?: AbortSignal,
): Promise<readonly NetworkDescription[]> {
  const filters = JSON.stringify(labelFilter(labels));
  const networks = await client.call('list networks', () => client.docker.listNetworks({ filters }), {
    signal,
  });
  return networks.map(describeNetwork);
}

function describeNetwork(info: NetworkInspectInfo): NetworkDescription {
  return {
    id: info.Id,
    name: info.Name,
    labels: info.Labels ?? {},
    driver: info.Driver,
    internal: info.Internal,
    subnets: (info.IPAM?.Config ?? []).flatMap(({ Subnet: subnet, Gateway: gateway }) =>
      subnet ? [{ subnet, gateway: gateway || undefined }] : [],
    ),
  };
}

/** Removes a network. Ignores an absent one. */
export async function removeNetwork(
  client: EngineClient,
  network: string,
  signal?: AbortSignal,
): Promise<void> {
  const remove = async (): Promise<void> => {
    try {
      await client.docker.getNetwork(network).remove();
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
  };
  await client.call('remove a network', remove, { signal });
}
