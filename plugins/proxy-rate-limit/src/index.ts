import type { Plugin } from '@portolan/plugin-api';
import { rateLimit } from './rate-limit.ts';

export { rateLimit } from './rate-limit.ts';
export type { RateLimitConfig } from './rate-limit-config.ts';
export { rateLimitConfig } from './rate-limit-config.ts';

export default {
  name: '@portolan/proxy-rate-limit',
  apiVersion: 2,
  contributes: { proxyMiddleware: [rateLimit] },
} satisfies Plugin;
