import type { ProxyMiddlewareContext } from '@portolan/plugin-api';
import { openWebhook, type Webhook } from './open-webhook.ts';
import type { WebhooksConfig } from './webhooks-config.ts';

export interface Webhooks {
  readonly list: readonly Webhook[];
  close(): Promise<void>;
}

/** Opens all webhooks, or none. Throws what `openWebhook` throws. */
export async function openWebhooks(
  { webhooks }: WebhooksConfig,
  options: { readonly mayPatch: boolean },
  context: ProxyMiddlewareContext,
): Promise<Webhooks> {
  const list: Webhook[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(list.map((webhook) => webhook.close()));
  };
  try {
    for (const webhook of webhooks) list.push(await openWebhook(webhook, options, context));
  } catch (error) {
    await close();
    throw error;
  }
  return { list, close };
}
