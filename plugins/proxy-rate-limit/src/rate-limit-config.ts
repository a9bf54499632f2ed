import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

const BUCKET = {
  type: 'object',
  required: ['maxTokens', 'refillPeriod'],
  properties: {
    maxTokens: {
      type: 'integer',
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Most calls at once, where nobody has called for a while.',
    },
    refillPeriod: {
      type: 'string',
      format: 'duration',
      description: 'In which time an empty bucket is full again, evenly.',
    },
  },
} as const satisfies ConfigBlock;

const GLOBAL = { ...BUCKET, description: 'For all callers together.' } as const satisfies ConfigBlock;
const SHARED = {
  ...BUCKET,
  description: 'Older name of `global`; only one of them may be given.',
} as const satisfies ConfigBlock;
const PER_USER = { ...BUCKET, description: 'For each caller alone.' } as const satisfies ConfigBlock;

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
      description: 'Limits of single tools; a call has to pass them beside the others.',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: {
            type: 'string',
            minLength: 1,
            description: 'Name of the tool, as the server has it.',
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
      description: 'Requests that `global` and `perUser` count; `*` is every request.',
    },
    namespace: {
      type: 'string',
      description: 'Part of the names of buckets that several proxies share.',
    },
    redis: {
      type: 'object',
      description: 'Where buckets are kept that several proxies share; left out: in the memory of each.',
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
          description: 'Begins the name of each key.',
        },
        timeout: {
          type: 'string',
          format: 'duration',
          default: '1s',
          description: 'How long Redis may take for an answer, and for a connection.',
        },
        whenAway: {
          type: 'string',
          enum: ['refuse', 'allow'],
          default: 'refuse',
          description: 'What becomes of calls that are limited while Redis cannot be asked.',
        },
      },
    },
  },
} as const satisfies ConfigBlock;

export type RateLimitConfig = ConfigOf<typeof rateLimitConfig>;
export type RedisConfig = NonNullable<RateLimitConfig['redis']>;
