import type { Plugin } from '@portolan/plugin-api';
import { mutatingWebhooks } from './mutating-webhooks.ts';
import { validatingWebhooks } from './validating-webhooks.ts';

export { mutatingWebhooks } from './mutating-webhooks.ts';
export { validatingWebhooks } from './validating-webhooks.ts';
export { webhooksConfig } from './webhooks-config.ts';
export type { WebhookConfig, WebhooksConfig } from './webhooks-config.ts';

export default {
  name: '@portolan/proxy-webhooks',
  apiVersion: 2,
  contributes: { proxyMiddleware: [mutatingWebhooks, validatingWebhooks] },
} satisfies Plugin;
