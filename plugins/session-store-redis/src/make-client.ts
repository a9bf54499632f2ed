import { createClient } from '@redis/client';

/**
 * Back-off before reconnecting, in milliseconds. Randomized, so that many proxies do not reconnect at once.
 */
const RETRY = { leastMs: 50, maxMs: 2000 } as const;

export type Client = ReturnType<typeof makeClient>;

/** Creates the client, which connects later and reconnects whenever the connection is lost. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- only the library can spell the type
export function makeClient(address: URL, password: string | undefined, timeoutMs: number) {
  return createClient({
    url: address.href,
    ...(password === undefined ? {} : { password }),
    name: 'portolan',
    RESP: 2,
    // Commands fail at once without a connection, because a client waits for the response.
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: timeoutMs,
      reconnectStrategy: (retries) =>
        Math.random() * RETRY.leastMs + Math.min(RETRY.maxMs, RETRY.leastMs * 2 ** Math.min(retries, 10)),
    },
  });
}
