/** Route to a host for programs that connect by themselves, such as child processes. */
export interface Route {
  /**
   * The only addresses that may be connected to, in the resolver's order; never empty. Default: any address
   * of the name.
   */
  readonly addresses?: readonly string[];
  /** The operator's proxy, to connect to instead of the host. Its URL may contain a password. */
  readonly proxy?: URL;
}

/**
 * Finds the route shortly before a connection. Rejects with ERR_ADDRESS_FORBIDDEN for a forbidden host, and
 * like `dns.lookup` when name resolution is needed and fails.
 */
export type FindRoute = (target: Pick<ReachedHost, 'scheme' | 'host' | 'port'>) => Promise<Route>;

/** Target of a connection that a source opens. */
export interface ReachedHost {
  /** Lower-case protocol name, such as `ssh` or `https`. */
  readonly scheme: string;
  /** Name or address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Place in the block for messages, such as `repository`. Default: the whole block. */
  readonly place?: string;
}
