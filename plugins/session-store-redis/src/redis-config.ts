import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const redisConfig = {
  type: 'object',
  description: 'How sessions are kept in Redis.',
  properties: {
    prefix: {
      type: 'string',
      minLength: 1,
      default: 'portolan',
      description: 'Begins the name of each key.',
      examples: ['team-a'],
    },
    timeout: {
      type: 'string',
      format: 'duration',
      default: '2s',
      description: 'How long Redis may take for an answer, and for a connection.',
    },
  },
} as const satisfies ConfigBlock;

export type RedisConfig = ConfigOf<typeof redisConfig>;
