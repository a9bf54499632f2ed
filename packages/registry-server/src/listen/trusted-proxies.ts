import { AddressRanges, readIpAddress } from '@portolan/outbound';

/** Proxies whose forwarded headers the server trusts: `server.trustedProxies`. */
export class TrustedProxies {
  readonly isEmpty: boolean;
  readonly #ranges: AddressRanges;

  /** Takes addresses and CIDR ranges. The configuration is checked before. */
  constructor(addresses: readonly string[]) {
    this.isEmpty = addresses.length === 0;
    this.#ranges = new AddressRanges(addresses);
  }

  /** Returns whether an address of a socket or a header belongs to a trusted proxy. */
  includes(text: string): boolean {
    const address = readIpAddress(text);
    return address !== undefined && this.#ranges.has(address);
  }
}
