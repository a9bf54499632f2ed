import { AddressRanges, type IpAddress, listEmbedded, readIpAddress } from './ip-address.ts';
import { isSpecial } from './special-addresses.ts';

/**
 * Returns whether an IP address is public. Not public are special addresses, unassigned IPv6 addresses, IPv6
 * addresses that embed a non-public IPv4 address (mapped, RFC 4291; NAT64, RFC 6052; 6to4, RFC 3056), and
 * text that is no IP address.
 */
export function isPublicAddress(written: string): boolean {
  const address = readIpAddress(written);
  if (address === undefined || isSpecial(address)) return false;
  if (address.family === 4) return true;
  return isGivenOut(address) && listEmbedded(address).every(({ text }) => isPublicAddress(text));
}

let givenOut: AddressRanges | undefined;

/**
 * Returns whether an address is in the assigned unicast range (RFC 4291, section 2.4, and IANA's registry) or
 * the NAT64 prefix.
 */
function isGivenOut(address: IpAddress): boolean {
  // created on first use, because many commands check no address
  givenOut ??= new AddressRanges(['2000::/3', '64:ff9b::/96']);
  return givenOut.has(address);
}
