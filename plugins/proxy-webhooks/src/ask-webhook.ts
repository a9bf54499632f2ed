import type { ClientExchange, Logger, Refusal } from '@portolan/plugin-api';
import type { JsonTree } from './json-tree.ts';
import type { Webhook } from './open-webhook.ts';
import { TOO_LARGE, type WebhookRefusals } from './refusals.ts';

/** Maximum size of a message for webhooks, in bytes. */
const MAX_BYTES = 1024 * 1024;

export type WebhookOutcome =
  | { readonly goesOn: true; readonly patch: JsonTree | undefined }
  | { readonly goesOn: false; readonly refuse: Refusal };

/** Calls a webhook. Without a verdict, applies the failure policy. */
export async function askWebhook(
  webhook: Webhook,
  message: string,
  exchange: ClientExchange,
  { refusals, logger }: { readonly refusals: WebhookRefusals; readonly logger: Logger },
): Promise<WebhookOutcome> {
  if (message.length > MAX_BYTES || Buffer.byteLength(message) > MAX_BYTES) {
    return { goesOn: false, refuse: TOO_LARGE };
  }
  const response = await webhook.ask(message, exchange);
  if (response.is === 'allowed') return { goesOn: true, patch: response.patch };
  if (response.is === 'failed') return whereItFails(webhook, response.why, { refusals, logger });
  const because = response.is === 'denied' ? response.because : 'status 422';
  logger.info({ webhook: webhook.name, because }, 'a webhook denied a message');
  return { goesOn: false, refuse: refusals[response.is] };
}

export function whereItFails(
  { name, failurePolicy }: Webhook,
  why: string,
  { refusals, logger }: { readonly refusals: WebhookRefusals; readonly logger: Logger },
): WebhookOutcome {
  logger.warn({ webhook: name, failurePolicy, why }, 'a webhook failed');
  return failurePolicy === 'ignore'
    ? { goesOn: true, patch: undefined }
    : { goesOn: false, refuse: refusals.failed };
}
