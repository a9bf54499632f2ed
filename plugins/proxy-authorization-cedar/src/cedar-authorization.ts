import type { ProxyMiddlewareKind } from '@portolan/plugin-api';
import { cedarConfig } from './cedar-config.ts';
import { checkCedar } from './check-cedar.ts';
import { openAuthorizer } from './open-authorizer.ts';

export const cedarAuthorization: ProxyMiddlewareKind<typeof cedarConfig> = {
  kind: 'cedar',
  placed: 'authorize',
  config: cedarConfig,
  check: checkCedar,
  create: (config, context) => openAuthorizer(config, context),
};
