export { askServer } from './ask-server.ts';
export type { Asked } from './ask-server.ts';
export { listProbings } from './era/list-probings.ts';
export { openProxy } from './open-proxy.ts';
export type { OpenProxy } from './open-proxy.ts';
export { PROXY_LIMITS, SESSION_TTL_MS } from './proxy-limits.ts';
export type { ProxyLimits, ProxyOptions } from './proxy-options.ts';
export type { PlacedProxyMiddleware } from './policy/placed-middleware.ts';
