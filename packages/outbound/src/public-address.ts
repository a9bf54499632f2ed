import { AddressRanges, type IpAddress, listEmbedded, readIpAddress } from './ip-address.ts';
import { isSpecial } from './special-addresses.ts';

/**
 * Whether an IP address is one of the public internet. What the list of special
 * addresses has is not, nor is an IPv6 address that is not given out, nor one
 * that leads to an IPv4 address that is not public: mapped (RFC 4291), NAT64
 * (RFC 6052) and 6to4 (RFC 3056) addresses are as public as the one inside. What
 * is no IP address is not public.
 */
export function isPublicAddress(written: string): boolean {
  const address = readIpAddress(written);
  if (address === undefined || isSpecial(address)) return false;
  if (address.family === 4) return true;
  return isGivenOut(address) && listEmbedded(address).every(({ text }) => isPublicAddress(text));
}

let givenOut: AddressRanges | undefined;

/** The unicast addresses of the internet (RFC 4291, 2.4, and IANA's registry), and the prefix of NAT64. */
function isGivenOut(address: IpAddress): boolean {
  givenOut ??= new AddressRanges(['2000::/3', '64:ff9b::/96']); // not at the start of commands that judge no address
  return givenOut.has(address);
}
