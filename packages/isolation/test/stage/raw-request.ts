import { connect, type NetConnectOpts, type Socket } from 'node:net';

/** Sends bytes and returns everything received until the other side closes. */
export async function exchangeRaw(where: NetConnectOpts, text: string): Promise<string> {
  const socket = connect(where);
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.on('error', () => undefined).once('close', () => resolve(received));
  socket.write(text);
  return promise;
}

/** Opens a tunnel and returns its socket when the status is 200. Otherwise rejects with the status line. */
export async function openRawTunnel(where: NetConnectOpts, authority: string): Promise<Socket> {
  const socket = connect(where);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let received = '';
  const read = (chunk: Buffer): void => {
    received += chunk.toString('latin1');
    if (!received.includes('\r\n\r\n')) return;
    socket.off('data', read).pause();
    if (received.startsWith('HTTP/1.1 200 ')) resolve(socket);
    else {
      socket.destroy();
      reject(new Error(received.split('\r\n')[0]));
    }
  };
  socket
    .on('data', read)
    .on('error', reject)
    .once('close', () => reject(new Error('closed')));
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  return promise;
}
