import { createHash } from 'node:crypto';
import type { MessageSender } from '@portolan/plugin-api';
import type { MemberSource } from '../options.ts';

/** Headers that identify a request and not its client. A server lists the same for all of their values. */
const OF_REQUESTS: ReadonlySet<string> = new Set([
  'x-request-id',
  'x-correlation-id',
  'traceparent',
  'tracestate',
  'baggage',
]);

/** Returns the names, in lower case, of passed headers that may identify a client at the member. */
export function identifyingHeaders({
  passHeaders = [],
}: Pick<MemberSource, 'passHeaders'>): readonly string[] {
  return passHeaders.map((name) => name.toLowerCase()).filter((name) => !OF_REQUESTS.has(name));
}

/**
 * Returns the sender of a message as a member sees it. Two clients that pass different values of the headers are
 * different callers there, even if both are anonymous at the virtual server.
 */
export function callerAt(
  identifying: readonly string[],
  sender: MessageSender | undefined,
): MessageSender | undefined {
  if (sender?.exchange === undefined || identifying.length === 0) return sender;
  const { owner, exchange } = sender;
  const values = identifying.map((name) => exchange.request.headers[name] ?? null);
  if (values.every((value) => value === null)) return sender;
  const text = JSON.stringify([owner ?? null, values]);
  return { ...sender, owner: createHash('sha256').update(text).digest('base64url') };
}
