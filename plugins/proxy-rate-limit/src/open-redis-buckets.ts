import { parseDuration, type ProxyMiddlewareContext } from '@portolan/plugin-api';
import { createClient } from '@redis/client';
import { redisRefuses } from './errors.ts';
import type { RedisConfig } from './rate-limit-config.ts';
import { RedisBuckets } from './redis-buckets.ts';

/**
 * Back-off before reconnecting, in milliseconds. Randomized, so that many proxies do not reconnect at once.
 */
const RETRY = { leastMs: 50, maxMs: 2000 } as const;

/** Matches errors of Redis that a retry cannot solve. */
const REFUSALS = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:AUTH|Client sent AUTH|DB index|invalid password))/;

/**
 * Opens buckets in Redis. Waits only briefly, because an unreachable Redis may become available later. Throws
 * ERR_STORE_REFUSED.
 */
export async function openRedisBuckets(
  config: RedisConfig,
  shared: readonly string[],
  { secret, logger }: Pick<ProxyMiddlewareContext, 'secret' | 'logger'>,
): Promise<RedisBuckets> {
  const { address, password = '', prefix, timeout } = config;
  const place = new URL(address).host;
  const timeoutMs = Math.max(1, parseDuration(timeout));
  const client = createClient({
    url: address,
    ...(password === '' ? {} : { password: secret(password) }),
    name: 'portolan',
    RESP: 2,
    // Commands fail at once without a connection, because a client waits for the response.
    disableOfflineQueue: true,
    commandsQueueMaxLength: 10_000,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: timeoutMs,
      reconnectStrategy: (retries) =>
        Math.random() * RETRY.leastMs + Math.min(RETRY.maxMs, RETRY.leastMs * 2 ** Math.min(retries, 10)),
    },
  });
  const buckets = new RedisBuckets({ client, place, prefix, shared, timeoutMs, logger });
  const refused = Promise.withResolvers<never>();
  client.on('error', (error: Error) => {
    if (REFUSALS.test(error.message)) refused.reject(redisRefuses(place, error));
    buckets.away(error);
  });
  client.on('ready', () => buckets.back());
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, timeoutMs);
  const connecting = client.connect();
  // the store was closed before it connected
  connecting.catch(() => undefined);
  refused.promise.catch(() => undefined);
  try {
    await Promise.race([connecting, refused.promise, late.promise]);
  } catch (error) {
    await buckets.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return buckets;
}
