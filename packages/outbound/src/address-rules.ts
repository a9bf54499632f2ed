import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { FetchOptions, PortolanError } from '@portolan/plugin-api';
import { addressForbidden, hostForbidden } from './errors.ts';
import { isLoopbackAddress, isLoopbackHost, LOCALHOST } from './loopback.ts';
import { AddressRanges, type IpAddress, listEmbedded, readIpAddress } from './ip-address.ts';
import { isSpecial } from './special-addresses.ts';

/**
 * Returns whether an address is public. False for special addresses, unassigned IPv6 addresses, invalid text,
 * and addresses that embed a non-public IPv4 address: mapped (RFC 4291), NAT64 (RFC 6052) or 6to4 (RFC 3056).
 */
export function isPublicAddress(written: string): boolean {
  const address = readIpAddress(written);
  if (address === undefined || isSpecial(address)) return false;
  if (address.family === 4) return true;
  return isGivenOut(address) && listEmbedded(address).every(({ text }) => isPublicAddress(text));
}

let givenOut: AddressRanges | undefined;

/**
 * Returns whether an address is assigned unicast (RFC 4291, section 2.4, and IANA's registry) or has the
 * NAT64 prefix.
 */
function isGivenOut(address: IpAddress): boolean {
  // created on first use, because many commands check no address
  givenOut ??= new AddressRanges(['2000::/3', '64:ff9b::/96']);
  return givenOut.has(address);
}

export interface AddressRules {
  readonly resolve: (
    hostname: string,
    options: { family?: number; hints?: number },
  ) => Promise<LookupAddress[]>;
  readonly isPublic: (address: string) => boolean;
  /** Returns whether a URL's host is allowed. Default: every host. */
  readonly allowsHost?: (hostname: string) => boolean;
}

export const USUAL: AddressRules = {
  // Loaded on the first lookup, because many importers never make one.
  resolve: async (hostname, options) =>
    hostname === 'localhost'
      ? LOCALHOST.filter(({ family }) => [undefined, 0, family].includes(options.family))
      : await (await import('node:dns/promises')).lookup(hostname, { ...options, all: true }),
  isPublic: isPublicAddress,
};

/** Resolves a host name. Rejects as `dns.lookup` does. */
export async function lookUpHost(hostname: string): Promise<readonly string[]> {
  return (await USUAL.resolve(hostname, {})).map(({ address }) => address);
}

export function refusalOf(
  hostname: string,
  { isPublic, allowsHost = () => true }: AddressRules,
): PortolanError | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (!allowsHost(hostname)) return hostForbidden(hostname);
  return isIP(bare) !== 0 && !isPublic(bare) ? addressForbidden(bare) : undefined;
}

/** Returns the allowed addresses of a name. Throws ERR_ADDRESS_FORBIDDEN when there are none. */
export async function lookUpOpen(
  hostname: string,
  { resolve, isPublic }: AddressRules,
  options: { family?: number; hints?: number } = {},
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const addresses = await resolve(hostname, options);
  const [first, ...others] = addresses.filter(({ address }) => isPublic(address));
  if (first === undefined) throw addressForbidden(hostname, addresses[0]?.address);
  return [first, ...others];
}

/**
 * Returns a function from a URL's origin to the address rules for it. `loopbackFor` is as in `FetchOptions`.
 */
export function rulesByOrigin(
  { allowPrivateAddresses, loopbackFor }: Pick<FetchOptions, 'allowPrivateAddresses' | 'loopbackFor'>,
  addressRules: AddressRules,
): (origin: string) => AddressRules {
  const base: AddressRules = allowPrivateAddresses ? { ...addressRules, isPublic: () => true } : addressRules;
  if (loopbackFor === undefined) return () => base;
  const origins = new Set(
    loopbackFor.flatMap((text) => {
      const url = URL.parse(text);
      const isNamed = url !== null && (allowPrivateAddresses || isLoopbackHost(url.hostname));
      return isNamed ? [url.origin] : [];
    }),
  );
  const within = {
    ...base,
    isPublic: (address: string) => isLoopbackAddress(address) || base.isPublic(address),
  };
  const outside = {
    ...base,
    isPublic: (address: string) => !isLoopbackAddress(address) && base.isPublic(address),
  };
  return (origin) => (origins.has(origin) ? within : outside);
}
