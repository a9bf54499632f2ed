import type { ProxyMiddlewareKind } from '@portolan/plugin-api';
import { askWebhook } from './ask-webhook.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { openWebhooks } from './open-webhooks.ts';
import { VALIDATING } from './refusals.ts';
import { webhooksConfig } from './webhooks-config.ts';

/** Proxy middleware kind for validating webhooks. Services judge the final text of a message. */
export const validatingWebhooks: ProxyMiddlewareKind<typeof webhooksConfig> = {
  kind: 'validating-webhooks',
  config: webhooksConfig,
  placed: 'validate',
  check: checkWebhooks,
  create: async (config, context) => {
    const webhooks = await openWebhooks(config, { mayPatch: false }, context);
    const policy = { refusals: VALIDATING, logger: context.logger };
    return {
      close: () => webhooks.close(),
      onMessage: async (message, exchange) => {
        // A response to the server's request requests nothing, so services do not see it.
        if (message.kind === 'response') return undefined;
        for (const webhook of webhooks.list) {
          const request = await askWebhook(webhook, message.text, exchange, policy);
          if (!request.goesOn) return { refuse: request.refuse };
        }
        return undefined;
      },
    };
  },
};
