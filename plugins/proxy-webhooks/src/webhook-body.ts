import type { ClientExchange, ProxiedWorkload } from '@portolan/plugin-api';
import { principalOf } from './principal.ts';

/** Version of the documents that are exchanged. */
export const WEBHOOK_VERSION = 'v0.1.0';

export interface WebhookQuestion {
  readonly uid: string;
  readonly askedAt: Date;
  /** JSON of the message, as it was written. */
  readonly message: string;
  readonly exchange: ClientExchange;
  readonly workload: ProxiedWorkload;
}

/** JSON of a question. The message stands in it as it was written, so that nothing of it is lost. */
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
