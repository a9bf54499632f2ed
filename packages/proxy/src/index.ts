export { openProxy } from './open-proxy.ts';
export type { OpenProxy } from './open-proxy.ts';
export { CALL_FOR_ANOTHER } from './request/changer.ts';
export { PROXY_LIMITS } from './request/proxy-limits.ts';
export { SESSION_TTL_MS } from './sessions/session-life.ts';
export type { ProxyLimits, ProxyOptions } from './request/proxy-options.ts';
export type { PlacedProxyMiddleware } from './request/placed-middleware.ts';
