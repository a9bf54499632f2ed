import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What one connection has said of itself. */
export interface Login {
  readonly user: string;
  readonly password: string;
  readonly encrypted: boolean;
}

/** As much of PostgreSQL as takes a password over TLS, and refuses it. */
export interface TokenListener {
  readonly port: number;
  readonly logins: readonly Login[];
  close(): Promise<void>;
}

const SSL_REQUEST = 80_877_103;

export async function listenForTokens(tls: {
  readonly cert: Buffer;
  readonly key: Buffer;
}): Promise<TokenListener> {
  const logins: Login[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', (first) => {
      if (first.readInt32BE(4) !== SSL_REQUEST) return talk(socket, first, logins, false);
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, ...tls });
      secure.on('error', () => undefined).once('data', (startup) => talk(secure, startup, logins, true));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    logins,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Startup message, question for a password in clear, the password, refusal. */
function talk(socket: Socket, startup: Buffer, logins: Login[], encrypted: boolean): void {
  const words = startup.subarray(8).toString().split('\0');
  const user = words[words.indexOf('user') + 1] ?? '';
  socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
  socket.once('data', (message) => {
    logins.push({ user, password: message.subarray(5, -1).toString(), encrypted });
    const fields = Buffer.from('SFATAL\0C28P01\0Mno\0\0');
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(fields.length + 4, 1);
    socket.end(Buffer.concat([head, fields]));
  });
}
