import type { Plugin } from '@portolan/plugin-api';
import { tokenExchange } from './token-exchange.ts';

export { tokenExchange } from './token-exchange.ts';
export { tokenExchangeConfig } from './token-exchange-config.ts';
export type { TokenExchangeConfig } from './token-exchange-config.ts';

export default {
  name: '@portolan/proxy-token-exchange',
  apiVersion: 2,
  contributes: { proxyMiddleware: [tokenExchange] },
} satisfies Plugin;
