import type { SessionStoreKind } from '@portolan/plugin-api';
import { openRedis } from './open-redis.ts';
import { redisConfig } from './redis-config.ts';

export const redis: SessionStoreKind<typeof redisConfig> = {
  kind: 'redis',
  config: redisConfig,
  checkAddress,
  create: openRedis,
};

/** Session store kind `rediss`: Redis over TLS. */
export const rediss: SessionStoreKind<typeof redisConfig> = { ...redis, kind: 'rediss' };

function checkAddress(address: URL): string | undefined {
  if (address.hostname === '') return 'it names no host';
  if (address.password !== '')
    return 'it has a password, which belongs in a secret (--session-store-password)';
  if (!/^(?:\/[0-9]{0,4})?$/.test(address.pathname)) return 'its path is not a database number';
  if (address.search !== '' || address.hash !== '') return 'it has more after its path';
  return undefined;
}
