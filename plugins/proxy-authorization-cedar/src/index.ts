import type { Plugin } from '@portolan/plugin-api';
import { cedarAuthorization } from './cedar-authorization.ts';
import { decisionPointAuthorization } from './decision-point/decision-point-authorization.ts';

export { cedarAuthorization } from './cedar-authorization.ts';
export type { CedarConfig } from './cedar-config.ts';
export { cedarConfig } from './cedar-config.ts';
export { decisionPointAuthorization } from './decision-point/decision-point-authorization.ts';
export type { DecisionPointConfig } from './decision-point/decision-point-config.ts';
export { decisionPointConfig } from './decision-point/decision-point-config.ts';

export default {
  name: '@portolan/proxy-authorization-cedar',
  apiVersion: 2,
  contributes: { proxyMiddleware: [cedarAuthorization, decisionPointAuthorization] },
} satisfies Plugin;
