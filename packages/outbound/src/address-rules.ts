import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { FetchOptions, PortolanError } from '@portolan/plugin-api';
import { addressForbidden, hostForbidden } from './errors.ts';
import { isLoopbackAddress, isLoopbackHost, LOCALHOST } from './loopback.ts';
import { isPublicAddress } from './public-address.ts';

/** What decides about addresses; tests pass their own. */
export interface AddressRules {
  /** All addresses of a name. Rejects as `dns.lookup` does. */
  readonly resolve: (
    hostname: string,
    options: { family?: number; hints?: number },
  ) => Promise<LookupAddress[]>;
  readonly isPublic: (address: string) => boolean;
  /** Whether a host, as it stands in an address, may be connected to; left out: every one. */
  readonly allowsHost?: (hostname: string) => boolean;
}

export const USUAL: AddressRules = {
  // Loaded by the first look-up: much imports this package that never makes one.
  resolve: async (hostname, options) =>
    hostname === 'localhost'
      ? LOCALHOST.filter(({ family }) => [undefined, 0, family].includes(options.family))
      : await (await import('node:dns/promises')).lookup(hostname, { ...options, all: true }),
  isPublic: isPublicAddress,
};

/** Returns the IP addresses of a host name. Rejects as `dns.lookup` does. */
export async function lookUpHost(hostname: string): Promise<readonly string[]> {
  return (await USUAL.resolve(hostname, {})).map(({ address }) => address);
}

/** Why a host, as it stands in an address, is not connected to. */
export function refusalOf(
  hostname: string,
  { isPublic, allowsHost = () => true }: AddressRules,
): PortolanError | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (!allowsHost(hostname)) return hostForbidden(hostname);
  return isIP(bare) !== 0 && !isPublic(bare) ? addressForbidden(bare) : undefined;
}

/** The addresses of a name that may be connected to. Throws ERR_ADDRESS_FORBIDDEN when there are none. */
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

/** The rules of a fetch, for each origin that it connects to. `loopbackFor` is as in `FetchOptions`. */
export function rulesByOrigin(
  { allowPrivateAddresses, loopbackFor }: Pick<FetchOptions, 'allowPrivateAddresses' | 'loopbackFor'>,
  given: AddressRules,
): (origin: string) => AddressRules {
  const base: AddressRules = allowPrivateAddresses ? { ...given, isPublic: () => true } : given;
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
