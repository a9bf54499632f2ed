import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports below the range of Linux for port 0 and outgoing connections, which begins at 32768. Within that
 * range, a connection could take the port between its choice and its use.
 */
const PORTS = { min: 20_000, max: 32_768 } as const;
const MAX_TRIES = 100;

/**
 * Returns a port of 127.0.0.1 on which nothing listens, for programs that do not accept port 0. Other tests choose
 * at random too, so a caller that can try again does so. Throws when 100 ports in turn are in use.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(PORTS.min, PORTS.max);
    if (await canListen(port)) return port;
  }
  throw new Error(`${MAX_TRIES} ports between ${PORTS.min} and ${PORTS.max} are all in use`);
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await Promise.race([
    once(server, 'listening').then(() => true),
    new Promise<false>((resolve) => {
      server.once('error', () => resolve(false));
    }),
  ]).catch(() => false);
  if (!isListening) return false;
  server.close();
  await once(server, 'close');
  return true;
}
