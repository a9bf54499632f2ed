import { connect, type Socket } from 'node:net';
import { type IpAddress, readIpAddress } from '@portolan/outbound';

/** Milliseconds after which the next address is tried in parallel (RFC 8305, section 5). */
const NEXT_ADDRESS_MS = 250;

const SOCKET_OPTIONS = { autoSelectFamily: false, allowHalfOpen: true, noDelay: true, keepAlive: true };

/**
 * Connects to the first responding address; resolves no names. The socket stays writable when the other side
 * ends. Rejects with the error of the last address, with ETIMEDOUT, or when aborted; then nothing is left
 * open.
 */
export function dialFirst(
  addresses: readonly IpAddress[],
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const waiting = [...addresses];
  const open = new Set<Socket>();
  let next: NodeJS.Timeout | undefined;

  const finish = (winner?: Socket): void => {
    clearTimeout(next);
    clearTimeout(end);
    signal.removeEventListener('abort', abort);
    for (const socket of open) if (socket !== winner) socket.destroy();
    open.clear();
  };
  const fail = (error: Error): void => {
    finish();
    reject(error);
  };
  const abort = (): void => fail(new DOMException('The connection was given up', 'AbortError'));
  const tryNext = (): void => {
    clearTimeout(next);
    const address = waiting.shift();
    if (address === undefined) return;
    const socket = connect({ ...SOCKET_OPTIONS, host: address.text, port, family: address.family });
    open.add(socket);
    const lost = (error: Error): void => {
      if (!open.delete(socket)) return;
      if (open.size === 0 && waiting.length === 0) fail(error);
      else tryNext();
    };
    socket.once('error', lost).once('connect', () => {
      if (!open.has(socket)) return;
      socket.off('error', lost);
      socket.once('error', () => undefined); // until the winner's new owner listens, in this turn
      finish(socket);
      resolve(socket);
    });
    next = setTimeout(tryNext, NEXT_ADDRESS_MS);
  };

  const end = setTimeout(
    () => fail(Object.assign(new Error('No address responds'), { code: 'ETIMEDOUT' })),
    timeoutMs,
  );
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  else tryNext();
  return promise;
}

/** Returns whether a connected socket ends on this machine, independent of address lists. */
export function endsHere({ localAddress, remoteAddress }: Socket): boolean {
  // already closed: nothing is lost
  if (localAddress === undefined || remoteAddress === undefined) return true;
  return readIpAddress(localAddress)?.text === readIpAddress(remoteAddress)?.text;
}
