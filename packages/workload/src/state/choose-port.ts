import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { CALLBACK_PORT } from '@portolan/run-spec';
import { hostNotHere, noFreePort, portTaken } from './state-errors.ts';

export const FIRST_PORT = 10_000;
export const LAST_PORT = 65_535;
const RANDOM_TRIES = 10;
/**
 * The only port from 10000 upwards that browsers and `fetch` refuse to connect to ("bad port" in the Fetch
 * standard).
 */
const REFUSED_BY_CLIENTS = 10_080;

export interface PortRequest {
  /** Port that the user demands. If it is taken, no other port is chosen. */
  readonly requested?: number | undefined;
  /** Preferred port, such as that of the registry entry. */
  readonly preferred?: number | undefined;
  /** Address to listen on. */
  readonly host: string;
  /** Ports that stopped workloads will use again, so that no new workload may take them. */
  readonly reserved: ReadonlySet<number>;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number;
  readonly isFree?: (port: number, host: string) => Promise<boolean>;
}

/**
 * Returns a free port: `requested`, else `preferred` if it is free, else one from 10000 to 65535. Throws
 * ERR_PORT_TAKEN when `requested` is in use, and ERR_NO_FREE_PORT. Another program may take the port before the
 * caller uses it.
 */
export async function choosePort(request: PortRequest): Promise<number> {
  const { requested, preferred, host, reserved, random = Math.random, isFree = isPortFree } = request;
  if (requested !== undefined) {
    if (await isFree(requested, host)) return requested;
    throw portTaken(requested);
  }
  const isOpen = preferred !== undefined && preferred !== CALLBACK_PORT && !reserved.has(preferred);
  if (isOpen && (await isFree(preferred, host))) return preferred;
  const count = LAST_PORT - FIRST_PORT + 1;
  const start = FIRST_PORT + Math.floor(random() * count);
  const drawn = Array.from({ length: RANDOM_TRIES - 1 }, () => FIRST_PORT + Math.floor(random() * count));
  const isUsable = async (port: number): Promise<boolean> =>
    port !== REFUSED_BY_CLIENTS && !reserved.has(port) && (await isFree(port, host));
  for (const port of [start, ...drawn]) {
    if (await isUsable(port)) return port;
  }
  for (let step = 1; step <= count; step += 1) {
    const port = FIRST_PORT + ((start - FIRST_PORT + step) % count);
    if (await isUsable(port)) return port;
  }
  throw noFreePort(FIRST_PORT, LAST_PORT);
}

/**
 * Returns whether a server can listen on the port: over TCP at the host, and over TCP and UDP on loopback.
 * Throws ERR_HOST when the host is not an address of this machine.
 */
export async function isPortFree(port: number, host: string): Promise<boolean> {
  const loopback = net.isIPv6(host) ? '::1' : '127.0.0.1';
  for (const address of new Set([host, loopback])) {
    if (!(await canListen(port, address))) return false;
  }
  return await canBind(port, loopback);
}

async function canListen(port: number, host: string): Promise<boolean> {
  const server = net.createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    return mustBeTaken(error, host);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

async function canBind(port: number, address: string): Promise<boolean> {
  const socket = dgram.createSocket(net.isIPv6(address) ? 'udp6' : 'udp4');
  try {
    socket.bind({ port, address, exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch (error) {
    return mustBeTaken(error, address);
  } finally {
    socket.close();
  }
}

/** Error codes of the system and of DNS for a host that is not an address of this machine. */
const NOT_HERE: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_FAIL'];

/** Returns false when the error means that a port is in use or reserved. Throws every other error. */
function mustBeTaken(error: unknown, host: string): false {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE' || code === 'EACCES') return false;
  throw NOT_HERE.includes(code) ? hostNotHere(host, error) : error;
}
