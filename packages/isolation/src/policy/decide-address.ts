import { AddressRanges, type IpAddress, leadsToNobody, listEmbedded } from '@portolan/outbound';

/** Why an address may not be dialled, however its name is spelled. */
export type AddressRefusal =
  | 'address-special'
  | 'address-metadata'
  | 'address-this-host'
  | 'address-container-network';

/** What an address is held against; `isNamed` tells whether the allow-list names it. */
export interface AddressSurroundings {
  readonly thisHost: AddressRanges;
  readonly containerNetworks: AddressRanges;
  readonly isNamed: (address: IpAddress) => boolean;
}

/**
 * Decides whether a resolved address may be dialled; undefined when it may.
 * Addresses that carry an IPv4 address inside are held to the rules of both.
 * Only the networks of containers can be opened, by naming the address.
 */
export function refuseAddress(
  address: IpAddress,
  surroundings: AddressSurroundings,
): AddressRefusal | undefined {
  for (const one of [address, ...listEmbedded(address)]) {
    if (isMetadata(one)) return 'address-metadata';
    if (leadsToNobody(one)) return 'address-special';
    if (surroundings.thisHost.has(one)) return 'address-this-host';
    if (surroundings.containerNetworks.has(one) && !surroundings.isNamed(one))
      return 'address-container-network';
  }
  return undefined;
}

let metadata: AddressRanges | undefined;

function isMetadata(address: IpAddress): boolean {
  metadata ??= new AddressRanges(METADATA); // a start of a workload judges no address yet
  return metadata.has(address);
}

/** Where clouds keep credentials for whoever asks; most of them are link-local, these are not, or are worth a name. */
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
