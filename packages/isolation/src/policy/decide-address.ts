import { AddressRanges, type IpAddress, isUnroutable, listEmbedded } from '@portolan/outbound';

export type AddressRefusal =
  | 'address-special'
  | 'address-metadata'
  | 'address-this-host'
  | 'address-container-network';

/**
 * Inputs of a decision about an address. `isNamed` returns whether the allow-list contains the address.
 */
export interface AddressContext {
  readonly thisHost: AddressRanges;
  readonly containerNetworks: AddressRanges;
  readonly isNamed: (address: IpAddress) => boolean;
}

/**
 * Decides about a resolved address; returns the reason for a refusal. An address with an embedded IPv4
 * address must satisfy the rules of both. The allow-list can only override the refusal of container networks.
 */
export function refuseAddress(address: IpAddress, context: AddressContext): AddressRefusal | undefined {
  for (const one of [address, ...listEmbedded(address)]) {
    if (isMetadata(one)) return 'address-metadata';
    if (isUnroutable(one)) return 'address-special';
    if (context.thisHost.has(one)) return 'address-this-host';
    if (context.containerNetworks.has(one) && !context.isNamed(one)) return 'address-container-network';
  }
  return undefined;
}

let metadata: AddressRanges | undefined;

function isMetadata(address: IpAddress): boolean {
  // created on first use, because starting a workload checks no address
  metadata ??= new AddressRanges(METADATA);
  return metadata.has(address);
}

/**
 * Cloud metadata services, which return credentials to any caller. Most are link-local; these are not, or
 * deserve a named reason.
 */
const METADATA: readonly string[] = [
  '169.254.169.254', // most clouds
  '169.254.170.2', // AWS, tasks
  '169.254.170.23', // AWS, pods
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS, pods
  'fd20:ce::254', // Google
];
