import { AddressRanges, readIpAddress } from '@portolan/outbound';

/** Proxies whose forwarded headers the server trusts: `server.trustedProxies`. */
export class TrustedProxies {
  readonly isEmpty: boolean;
  readonly #ranges: AddressRanges;

  /** Addresses and CIDR ranges, which the configuration's validation has checked. */
  constructor(addresses: readonly string[]) {
    this.isEmpty = addresses.length === 0;
    this.#ranges = new AddressRanges(addresses);
  }

  includes(text: string): boolean {
    const address = readIpAddress(text);
    return address !== undefined && this.#ranges.has(address);
  }
}
