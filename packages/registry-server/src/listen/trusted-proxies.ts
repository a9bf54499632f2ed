import { BlockList, isIP } from 'node:net';

/** The senders whose word about others is believed, as `server.trustedProxies` names them. */
export class TrustedProxies {
  readonly isEmpty: boolean;
  readonly #list = new BlockList();

  /** Addresses and CIDR ranges; what is neither was refused with the configuration. */
  constructor(addresses: readonly string[]) {
    this.isEmpty = addresses.length === 0;
    for (const text of addresses) {
      const [address = '', prefix] = text.split('/');
      const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (prefix === undefined) this.#list.addAddress(address, type);
      else this.#list.addSubnet(address, Number(prefix), type);
    }
  }

  /** Whether an address, as a socket or a header has it, is one of theirs. */
  includes(text: string): boolean {
    const address = plainAddress(text);
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  }
}

/** An IPv4 address that a listener on both families shows as IPv6, as IPv4. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
