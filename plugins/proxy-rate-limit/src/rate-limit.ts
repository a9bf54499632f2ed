import {
  type ClientVerdict,
  isPortolanError,
  type NotificationView,
  type ProxyMiddleware,
  type ProxyMiddlewareKind,
  type RequestView,
} from '@portolan/plugin-api';
import type { AskedBucket, Buckets } from './buckets.ts';
import { checkRateLimit } from './check-rate-limit.ts';
import { Limits } from './limits.ts';
import { MemoryBuckets } from './memory-buckets.ts';
import { type RedisConfig, rateLimitConfig } from './rate-limit-config.ts';

/**
 * Limits how often a workload may be called. Counts a message before any other decision about it, so that
 * later refused calls count as well, and policies and their services are protected too.
 */
export const rateLimit: ProxyMiddlewareKind<typeof rateLimitConfig> = {
  kind: 'rate-limit',
  config: rateLimitConfig,
  placed: 'limit',
  check: checkRateLimit,
  create: async (config, context) => {
    const limits = new Limits(config);
    const { redis, namespace = '' } = config;
    if (redis === undefined) return limiting(limits, new MemoryBuckets(context.nowMs, limits.count));
    // Imported here, because most workloads do not use Redis.
    const { openRedisBuckets } = await import('./open-redis-buckets.ts');
    const buckets = await openRedisBuckets(redis, [namespace, context.workload.server], context);
    return limiting(limits, buckets, redis.whenAway);
  },
};

type WhenAway = RedisConfig['whenAway'];

function limiting(limits: Limits, buckets: Buckets, whenAway: WhenAway = 'refuse'): ProxyMiddleware {
  return {
    onMessage: async (message, { caller }) => {
      // Some servers also run calls that are sent without an id.
      if (message.kind === 'response' || message.method.startsWith('notifications/')) return undefined;
      const asked = limits.bucketsOf({ method: message.method, tool: toolOf(message), caller });
      if (asked.length === 0) return undefined;
      const waitMs = await takeOrAllow(buckets, asked, whenAway);
      return waitMs > 0 ? tooOften(Math.ceil(waitMs / 1000)) : undefined;
    },
    close: async () => await buckets.close?.(),
  };
}

/** Returns the result of `take`; 0 where the buckets are unavailable and calls are allowed then. */
async function takeOrAllow(
  buckets: Buckets,
  asked: readonly AskedBucket[],
  whenAway: WhenAway,
): Promise<number> {
  try {
    return await buckets.take(asked);
  } catch (error) {
    if (whenAway === 'allow' && isPortolanError(error) && error.code === 'ERR_RATE_LIMIT_AWAY') return 0;
    throw error;
  }
}

function toolOf(message: RequestView | NotificationView): string | undefined {
  const name = message.method === 'tools/call' ? message.params?.['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** A batch has no header for a single message, so the error contains the time as well. */
function tooOften(seconds: number): ClientVerdict {
  return {
    refuse: {
      message: 'Rate limit exceeded',
      status: 429,
      code: 429,
      data: { retryAfterSeconds: seconds },
      headers: { 'Retry-After': String(seconds) },
    },
  };
}
