/** Hosts of this machine, as they stand in addresses: to these alone secrets may go over http. */
const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether the host of an address is this very machine, by how it is written. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOSTS.includes(hostname);
}
