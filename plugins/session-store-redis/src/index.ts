import type { Plugin } from '@portolan/plugin-api';
import { redis, rediss } from './redis.ts';

export { redis, rediss } from './redis.ts';
export type { RedisConfig } from './redis-config.ts';
export { redisConfig } from './redis-config.ts';

export default {
  name: '@portolan/session-store-redis',
  apiVersion: 2,
  contributes: { sessionStores: [redis, rediss] },
} satisfies Plugin;
