import type { Plugin } from '@portolan/plugin-api';
import { cedarAuthorization } from './cedar-authorization.ts';

export { cedarAuthorization } from './cedar-authorization.ts';
export type { CedarConfig } from './cedar-config.ts';
export { cedarConfig } from './cedar-config.ts';

export default {
  name: '@portolan/proxy-authorization-cedar',
  apiVersion: 1,
  contributes: { proxyMiddleware: [cedarAuthorization] },
} satisfies Plugin;
