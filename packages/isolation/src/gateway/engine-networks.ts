import type { NetworkDescription, ContainerEngine } from '@portolan/plugin-api';
import type { EngineNetworks } from '../policy/surroundings.ts';

/** Networks that lie in the local network itself: their gateway is a router, their neighbours are anybody. */
const DRIVERS_OF_OTHERS: ReadonlySet<string> = new Set(['macvlan', 'ipvlan', 'host', 'null', 'none']);

/** Default bridges by name: of Docker, of Podman. */
const DEFAULT_BRIDGES: readonly string[] = ['bridge', 'podman'];

/** Asks the engine for its networks. Rejects as the runtime does. */
export async function readEngineNetworks(
  runtime: Pick<ContainerEngine, 'listNetworks'>,
  isHere: boolean,
): Promise<EngineNetworks> {
  return describeNetworks(await runtime.listNetworks(), isHere);
}

/**
 * The engine's networks as the policy engine sees them. Gateways count as this
 * host's whether or not the engine runs here; the address of this host on the
 * default bridge is known only where it does.
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
  // Some engines leave it out where it is the first address, as it is unless somebody chose another.
  return first.gateway === undefined ? firstAddress(first.subnet) : withoutLength(first.gateway);
}

function withoutLength(address: string): string {
  return address.split('/')[0] ?? address;
}

function firstAddress(subnet: string): string {
  return withoutLength(subnet).replace(/\d+$/, (last) => String(Number(last) + 1));
}
