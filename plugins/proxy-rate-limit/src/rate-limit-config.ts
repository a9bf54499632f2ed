import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

const BUCKET = {
  type: 'object',
  required: ['maxTokens', 'refillPeriod'],
  properties: {
    maxTokens: {
      type: 'integer',
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Maximum number of calls in a burst.',
    },
    refillPeriod: {
      type: 'string',
      format: 'duration',
      description: 'Time in which an empty bucket refills evenly.',
    },
  },
} as const satisfies ConfigBlock;

const GLOBAL = { ...BUCKET, description: 'Limit for all callers together.' } as const satisfies ConfigBlock;
const SHARED = {
  ...BUCKET,
  description: 'Older name of `global`; only one of them may be given.',
} as const satisfies ConfigBlock;
const PER_USER = { ...BUCKET, description: 'Limit for each caller.' } as const satisfies ConfigBlock;

/** Schema of `rate_limit_config`, a superset of the fields that ToolHive uses. */
export const rateLimitConfig = {
  type: 'object',
  description: 'How often a workload may be called.',
  properties: {
    global: GLOBAL,
    shared: SHARED,
    perUser: PER_USER,
    tools: {
      type: 'array',
      description: 'Limits of single tools, in addition to the others.',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: {
            type: 'string',
            minLength: 1,
            description: 'Name of the tool on the server.',
          },
          global: GLOBAL,
          shared: SHARED,
          perUser: PER_USER,
        },
      },
    },
    methods: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      uniqueItems: true,
      default: ['tools/call'],
      description: 'Requests that `global` and `perUser` count; `*` means every request.',
    },
    namespace: {
      type: 'string',
      description: 'Part of the bucket names in Redis, which proxies with the same value share.',
    },
    redis: {
      type: 'object',
      description:
        'Redis server for buckets that several proxies share. Default: each proxy counts in memory.',
      required: ['address'],
      properties: {
        address: {
          type: 'string',
          format: 'uri',
          description: '`redis://HOST:PORT/NUMBER`, or `rediss://` over TLS; with a user before an `@`.',
        },
        password: {
          type: 'string',
          description: 'Reference to the password, `NAME,target=x`.',
        },
        prefix: {
          type: 'string',
          minLength: 1,
          default: 'portolan',
          description: 'Prefix of each key.',
        },
        timeout: {
          type: 'string',
          format: 'duration',
          default: '1s',
          description: 'Timeout of Redis commands and connections.',
        },
        whenAway: {
          type: 'string',
          enum: ['refuse', 'allow'],
          default: 'refuse',
          description: 'What happens to limited calls while Redis is unavailable.',
        },
      },
    },
  },
} as const satisfies ConfigBlock;

export type RateLimitConfig = ConfigOf<typeof rateLimitConfig>;
export type RedisConfig = NonNullable<RateLimitConfig['redis']>;
