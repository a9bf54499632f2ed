import type { ProxyMiddleware, ProxySlot } from '@portolan/plugin-api';

/** Proxy middleware with its place in the message path. */
export interface PlacedProxyMiddleware {
  readonly name: string;
  readonly placed: ProxySlot;
  readonly instance: ProxyMiddleware;
}
