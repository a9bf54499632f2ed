import type { NetworkDescription, ContainerEngine } from '@portolan/plugin-api';
import type { EngineNetworks } from '../policy/network-reader.ts';

/** Network drivers whose gateway address is not this host's, but that of a router. */
const DRIVERS_OF_OTHERS: ReadonlySet<string> = new Set(['macvlan', 'ipvlan', 'host', 'null', 'none']);

const DEFAULT_BRIDGES: readonly string[] = ['bridge', 'podman'];

export async function readEngineNetworks(
  runtime: Pick<ContainerEngine, 'listNetworks'>,
  isHere: boolean,
): Promise<EngineNetworks> {
  return describeNetworks(await runtime.listNetworks(), isHere);
}

/**
 * Converts the engine's network descriptions. Gateway addresses count as this host's, even when the engine
 * runs on another machine.
 */
export function describeNetworks(networks: readonly NetworkDescription[], isHere: boolean): EngineNetworks {
  const own = networks.filter(({ driver }) => !DRIVERS_OF_OTHERS.has(driver));
  const subnets = own.flatMap((network) => network.subnets);
  const bridge = own.find(({ name }) => DEFAULT_BRIDGES.includes(name));
  return {
    defaultGateway: isHere ? gatewayOfBridge(bridge) : undefined,
    gateways: subnets.flatMap(({ gateway }) => (gateway === undefined ? [] : [withoutLength(gateway)])),
    subnets: subnets.map(({ subnet }) => subnet),
  };
}

function gatewayOfBridge(bridge: NetworkDescription | undefined): string | undefined {
  const first = bridge?.subnets.find(({ subnet }) => subnet.includes('.'));
  if (first === undefined) return undefined;
  // Some engines omit the gateway when it is the first address, which is the default.
  return first.gateway === undefined ? firstAddress(first.subnet) : withoutLength(first.gateway);
}

function withoutLength(address: string): string {
  return address.split('/')[0] ?? address;
}

function firstAddress(subnet: string): string {
  return withoutLength(subnet).replace(/\d+$/, (last) => String(Number(last) + 1));
}
