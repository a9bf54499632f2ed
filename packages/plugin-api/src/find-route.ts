import type { ReachedHost } from './kinds/source.ts';

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
