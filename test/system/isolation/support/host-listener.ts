import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';

/** Stands for every service of this host: one port on all its addresses, over TCP and UDP. */
export interface HostListener {
  readonly port: number;
  /** Packets so far, such as `tcp ::ffff:172.17.0.1`. The reader empties the list. */
  readonly hits: string[];
  close(): Promise<void>;
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhost\n';

/** Listens on a free port of all addresses, IPv4 and IPv6. */
export async function openHostListener(): Promise<HostListener> {
  const hits: string[] = [];
  const tcp = createServer((socket) => {
    hits.push(`tcp ${socket.localAddress}`);
    socket
      .on('error', () => undefined)
      .resume()
      .end(ANSWER);
  });
  await new Promise<void>((resolve) => tcp.listen(0, '::', resolve));
  // SAFETY: a TCP server has a port.
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp6');
  udp.on('message', (_bytes, from) => {
    hits.push(`udp from ${from.address}`);
    udp.send('host', from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => udp.once('error', reject).bind(port, '::', resolve));
  return {
    port,
    hits,
    close: async () => {
      await new Promise<void>((resolve) => udp.close(resolve));
      await new Promise<void>((resolve) => tcp.close(() => resolve()));
    },
  };
}
