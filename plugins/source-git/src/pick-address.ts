import { once } from 'node:events';
import { connect } from 'node:net';

const PATIENCE_MS = 5000;

/**
 * Returns the first address that accepts a connection, because ssh takes only one; the first of all when none
 * does. Throws the reason of the signal.
 */
export async function pickAddress(
  addresses: readonly string[] | undefined,
  port: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [first, ...others] = addresses ?? [];
  if (others.length === 0) return first;
  for (const address of addresses ?? []) {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const socket = connect({ host: address, port, signal: patience });
    const takes = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    signal.throwIfAborted();
    if (takes) return address;
  }
  return first;
}
