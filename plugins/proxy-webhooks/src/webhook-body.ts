import type { ClientExchange, ProxiedWorkload } from '@portolan/plugin-api';
import { principalOf } from './principal.ts';

export const WEBHOOK_VERSION = 'v0.1.0';

export interface WebhookQuestion {
  readonly uid: string;
  readonly askedAt: Date;
  /** JSON of the message, with its original text. */
  readonly message: string;
  readonly exchange: ClientExchange;
  readonly workload: ProxiedWorkload;
}

/**
 * Returns the body for a webhook. It contains the message with its original text, so that nothing is lost.
 */
export function writeWebhookBody({ uid, askedAt, message, exchange, workload }: WebhookQuestion): string {
  const before = {
    version: WEBHOOK_VERSION,
    uid,
    timestamp: askedAt.toISOString(),
    principal: principalOf(exchange.caller),
  };
  const { remoteAddress, remotePort } = exchange.request;
  const host = remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress;
  const context = {
    server_name: workload.name,
    source_ip: remotePort === undefined ? remoteAddress : `${host}:${remotePort}`,
    transport: workload.transport,
  };
  const start = JSON.stringify(before).slice(0, -1);
  return `${start},"mcp_request":${message},"context":${JSON.stringify(context)}}`;
}
