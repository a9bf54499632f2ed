/** How what connects by itself, such as a program that is started, gets to a host. */
export interface Route {
  /**
   * The only addresses that may be connected to, in the order in which the system gives them, never
   * none. Left out: whichever the name leads to.
   */
  readonly addresses?: readonly string[];
  /** The operator's proxy, which is connected to in place of the host. Its address may hold a password. */
  readonly proxy?: URL;
}

/**
 * Asked shortly before the connection is made. Rejects with code ERR_ADDRESS_FORBIDDEN for a host that may
 * not be reached, and as `dns.lookup` does where the name has to be looked up and cannot be.
 */
export type FindRoute = (target: Pick<ReachedHost, 'scheme' | 'host' | 'port'>) => Promise<Route>;

/** One end of a connection that a source opens. */
export interface ReachedHost {
  /** Name of the protocol, in lower case: `ssh`, `https`. */
  readonly scheme: string;
  /** A name, or an address; one of IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Where it stands in the block, for messages: `repository`. Left out: the whole block. */
  readonly place?: string;
}
