import type { SessionStoreKind } from '@portolan/plugin-api';
import { checkAddress } from './check-address.ts';
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
