import type { ClientMessage, ClientRequest } from '@portolan/plugin-api';
import type { BegunSpan } from '../otel-tracer.ts';

/** A span that runs, and the message that it is about. */
interface Kept extends BegunSpan {
  readonly key: string;
}

/**
 * The spans of messages on their way: begun by the kind that observes, told by
 * the one that changes messages, which both stand in the same path. A list, since most requests are one message.
 */
const RUNNING = new WeakMap<ClientRequest, Kept[]>();

export function keepSpan(request: ClientRequest, message: ClientMessage, { span, headers }: BegunSpan): void {
  const key = keyOf(message);
  const spans = RUNNING.get(request);
  if (spans === undefined) {
    RUNNING.set(request, [{ key, span, headers }]);
    return;
  }
  const before = spans.findIndex((kept) => kept.key === key);
  spans.splice(before < 0 ? spans.length : before, before < 0 ? 0 : 1, { key, span, headers });
}

export function spanOf(request: ClientRequest, message: ClientMessage | undefined): BegunSpan | undefined {
  if (message === undefined) return undefined;
  const spans = RUNNING.get(request);
  return spans === undefined ? undefined : spans[indexOf(spans, message)];
}

/** Those that nobody has ended yet. */
export function takeSpan(request: ClientRequest, message: ClientMessage): BegunSpan | undefined {
  const spans = RUNNING.get(request);
  const at = spans === undefined ? -1 : indexOf(spans, message);
  return at < 0 ? undefined : spans?.splice(at, 1)[0];
}

/** Of a request whose messages are not known any more, such as a batch of which one was refused. */
export function takeAllSpans(request: ClientRequest): readonly BegunSpan[] {
  const left = RUNNING.get(request) ?? [];
  RUNNING.delete(request);
  return left;
}

function indexOf(spans: readonly Kept[], message: ClientMessage): number {
  const key = keyOf(message);
  return spans.findIndex((kept) => kept.key === key);
}

/** Notifications have no id; of those in a batch, the last one has the span. */
function keyOf(message: ClientMessage): string {
  return message.kind === 'request'
    ? message.id
    : `method ${message.kind === 'response' ? '' : message.method}`;
}
