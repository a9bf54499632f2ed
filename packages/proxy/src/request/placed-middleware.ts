import type { ProxyMiddleware, ProxySlot } from '@portolan/plugin-api';

export interface PlacedProxyMiddleware {
  readonly name: string;
  readonly placed: ProxySlot;
  readonly instance: ProxyMiddleware;
}
