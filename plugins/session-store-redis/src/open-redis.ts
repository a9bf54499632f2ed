import {
  parseDuration,
  PortolanError,
  type SessionStore,
  type SessionStoreContext,
} from '@portolan/plugin-api';
import { makeClient } from './make-client.ts';
import type { RedisConfig } from './redis-config.ts';
import { RedisSessions } from './redis-sessions.ts';

/** Matches errors of Redis that a retry cannot solve. */
const REFUSALS = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:AUTH|Client sent AUTH|DB index|invalid password))/;

/**
 * Opens the store. Waits only briefly, because an unreachable Redis may become available later. Throws
 * ERR_STORE_REFUSED.
 */
export async function openRedis(config: RedisConfig, context: SessionStoreContext): Promise<SessionStore> {
  const { address, password, namespace, ttlMs, logger } = context;
  const timeoutMs = Math.max(1, parseDuration(config.timeout));
  const client = makeClient(address, password, timeoutMs);
  const place = address.host;
  let isAway = false;
  const refused = Promise.withResolvers<never>();
  client.on('error', (error: Error) => {
    if (REFUSALS.test(error.message)) refused.reject(redisRefuses(place, error));
    if (!isAway) logger.warn({ err: error, redis: place }, 'session store is unavailable');
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) logger.info({ redis: place }, 'session store is available again');
    isAway = false;
  });
  const sessions = new RedisSessions({
    client,
    prefix: `${config.prefix}:session`,
    namespace,
    ttlMs,
    timeoutMs,
    away: (cause): PortolanError => redisAway(place, cause),
  });
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const connecting = client.connect();
  // the store was closed before it connected
  connecting.catch(() => undefined);
  try {
    await Promise.race([connecting, refused.promise, late]);
  } catch (error) {
    await sessions.close();
    throw error;
  } finally {
    clearTimeout(timer);
    refused.promise.catch(() => undefined);
  }
  return sessions;
}

function redisRefuses(place: string, cause: Error): PortolanError {
  return new PortolanError(
    'ERR_STORE_REFUSED',
    'refused',
    `Redis at ${place} refuses the login: ${cause.message}`,
    {
      hint: 'Set --session-store-password to the secret that holds the password. A user name belongs in the address.',
      cause,
    },
  );
}

function redisAway(place: string, cause: unknown): PortolanError {
  return new PortolanError('ERR_SESSIONS_UNAVAILABLE', 'unavailable', `Redis at ${place} is unavailable.`, {
    hint: 'Check that Redis is running. The proxy reconnects by itself.',
    cause,
  });
}
