import type { Labels, NetworkDescription, NetworkSpec } from '@portolan/plugin-api';
import type { NetworkInspectInfo } from 'dockerode';
import type { EngineClient } from '../engine/engine-client.ts';
import { statusOf, wordsOf } from '../engine/engine-fault.ts';
import { labelFilter } from '../engine/label-filter.ts';
import { addressPoolEmpty } from '../errors.ts';

/** Without an address of its own the host cannot be reached over the bridge: an internal network alone does not do that. */
const NO_HOST_ADDRESS = { 'com.docker.network.bridge.inhibit_ipv4': 'true' };
const POOL_EMPTY = /non-overlapping|address pool|fully subnetted/i;

/** Makes a bridge network; its id. Throws ERR_NETWORK_POOL when the engine has no addresses left. */
export async function createNetwork(
  client: EngineClient,
  { name, labels, internal }: NetworkSpec,
  signal?: AbortSignal,
): Promise<string> {
  const options = {
    Name: name,
    Driver: 'bridge',
    CheckDuplicate: true,
    Internal: internal,
    Labels: { ...labels },
    Options: internal ? NO_HOST_ADDRESS : {},
  };
  const network = await client.call('make a network', () => client.docker.createNetwork(options), {
    signal,
    translate: (error) => (POOL_EMPTY.test(wordsOf(error)) ? addressPoolEmpty(name, error) : undefined),
  });
  return network.id;
}

/** All networks, or those that carry all of these labels. */
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

/** Removes a network; one that is not there is no error. */
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
