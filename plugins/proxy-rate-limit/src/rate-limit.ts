import type {
  ClientMessage,
  ClientVerdict,
  ProxyMiddleware,
  ProxyMiddlewareKind,
} from '@portolan/plugin-api';
import type { Buckets } from './buckets.ts';
import { checkRateLimit } from './check-rate-limit.ts';
import { Limits } from './limits.ts';
import { MemoryBuckets } from './memory-buckets.ts';
import { rateLimitConfig } from './rate-limit-config.ts';

/**
 * How often a workload may be called. It counts before anything else is asked
 * about a message, so that calls which are refused later count as well: policies
 * and whoever they ask are kept from floods too.
 */
export const rateLimit: ProxyMiddlewareKind<typeof rateLimitConfig> = {
  kind: 'rate-limit',
  config: rateLimitConfig,
  placed: 'limit',
  check: checkRateLimit,
  create: (config, { clock }) => {
    const limits = new Limits(config);
    return limiting(limits, new MemoryBuckets(clock, limits.count));
  },
};

function limiting(limits: Limits, buckets: Buckets): ProxyMiddleware {
  return {
    onMessage: async (message, { caller }) => {
      if (message.kind !== 'request') return undefined;
      const asked = limits.bucketsOf({ method: message.method, tool: toolOf(message), caller });
      if (asked.length === 0) return undefined;
      const waitMs = await buckets.take(asked);
      return waitMs > 0 ? tooOften(Math.ceil(waitMs / 1000)) : undefined;
    },
    close: async () => await buckets.close?.(),
  };
}

function toolOf(message: ClientMessage & { readonly kind: 'request' }): string | undefined {
  const name = message.method === 'tools/call' ? message.params?.['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** In a batch there is no header for one message of it, so the time stands in the error as well. */
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
