import { connect, type Socket } from 'node:net';

/** A connection that sends what it is told, byte by byte if need be, and keeps what comes back. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** Settles when the connection is closed, by whomever; with everything received. */
  readonly closed: Promise<string>;
}

/** Connects to a URL's host and port. Errors count as a close: what was received says how it went. */
export function openRaw(url: string, ...send: readonly string[]): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', () => socket.destroy());
  for (const text of send) socket.write(text);
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(received));
  });
  return { socket, received: () => received, closed };
}
