import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const redisConfig = {
  type: 'object',
  description: 'Settings of the session store in Redis.',
  properties: {
    prefix: {
      type: 'string',
      minLength: 1,
      default: 'portolan',
      description: 'Prefix of each key.',
      examples: ['team-a'],
    },
    timeout: {
      type: 'string',
      format: 'duration',
      default: '2s',
      description: 'Timeout of Redis commands and connections.',
    },
  },
} as const satisfies ConfigBlock;

export type RedisConfig = ConfigOf<typeof redisConfig>;
