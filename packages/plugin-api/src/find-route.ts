/** Route to a host for programs that connect by themselves, such as child processes. */
export interface Route {
  /**
   * IP addresses that the connection may use, in the resolver's order; never empty. Undefined permits any
   * address.
   */
  readonly addresses?: readonly string[];
  /** Proxy to connect to instead of the host. Its URL may contain a password. */
  readonly proxy?: URL;
}

/**
 * Returns the route to a host. Call it shortly before connecting. Rejects with ERR_ADDRESS_FORBIDDEN, or like
 * `dns.lookup`.
 */
export type FindRoute = (target: Pick<ReachedHost, 'scheme' | 'host' | 'port'>) => Promise<Route>;

/** Target of a connection that a source opens. */
export interface ReachedHost {
  /** Lower-case protocol name, such as `ssh`. */
  readonly scheme: string;
  /** Name or address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Place of the address in the config block, such as `repository`. Default: the whole block. */
  readonly place?: string;
}
