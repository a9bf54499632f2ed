import {
  type ClientVerdict,
  isPortolanError,
  type NotificationView,
  type ProxyMiddleware,
  type ProxyMiddlewareKind,
  type RequestView,
} from '@portolan/plugin-api';
import type { RequestedBucket, Buckets } from './buckets.ts';
import { checkRateLimit } from './check-rate-limit.ts';
import { Limits } from './limits.ts';
import { MemoryBuckets } from './memory-buckets.ts';
import { type RedisConfig, rateLimitConfig } from './rate-limit-config.ts';

/**
 * Proxy middleware kind `rate-limit`. Counts a message before any other decision, so that refused calls count
 * too. This also protects policies and their services.
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
    // Loaded on demand, because most workloads do not use Redis.
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
      const requests = limits.bucketsOf({ method: message.method, tool: toolOf(message), caller });
      if (requests.length === 0) return undefined;
      const waitMs = await takeOrAllow(buckets, requests, whenAway);
      return waitMs > 0 ? tooOften(Math.ceil(waitMs / 1000)) : undefined;
    },
    close: async () => await buckets.close?.(),
  };
}

/** Takes tokens. Returns 0 if the store is unavailable and the configuration allows calls then. */
async function takeOrAllow(
  buckets: Buckets,
  requests: readonly RequestedBucket[],
  whenAway: WhenAway,
): Promise<number> {
  try {
    return await buckets.take(requests);
  } catch (error) {
    if (whenAway === 'allow' && isPortolanError(error) && error.code === 'ERR_RATE_LIMIT_AWAY') return 0;
    throw error;
  }
}

function toolOf(message: RequestView | NotificationView): string | undefined {
  const name = message.method === 'tools/call' ? message.params?.['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Creates the refusal. It contains the delay, because a batch has no header for a single message. */
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
