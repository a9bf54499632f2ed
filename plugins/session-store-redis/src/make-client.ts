import { createClient } from '@redis/client';

/** How long a lost connection waits before the next try, in milliseconds; some chance keeps many proxies apart. */
const RETRY = { leastMs: 50, mostMs: 2000 } as const;

export type Client = ReturnType<typeof makeClient>;

/** A client that is not connected yet; it connects again by itself whenever the connection is lost. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- only the library can spell the type
export function makeClient(address: URL, password: string | undefined, timeoutMs: number) {
  return createClient({
    url: address.href,
    ...(password === undefined ? {} : { password }),
    name: 'portolan',
    RESP: 2,
    // What cannot be asked now is answered now: a client waits for it.
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: timeoutMs,
      reconnectStrategy: (retries) =>
        Math.random() * RETRY.leastMs + Math.min(RETRY.mostMs, RETRY.leastMs * 2 ** Math.min(retries, 10)),
    },
  });
}
