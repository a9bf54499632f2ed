import type { ClientMessage, ClientRequest } from '@portolan/plugin-api';
import type { ActiveSpan } from '../otel-tracer.ts';

interface RunningSpan extends ActiveSpan {
  readonly key: string;
}

/**
 * Spans in progress. The telemetry middleware starts them, and the trace context middleware of the same chain
 * injects them. A list, because most requests have one message.
 */
const RUNNING = new WeakMap<ClientRequest, RunningSpan[]>();

export function keepSpan(
  request: ClientRequest,
  message: ClientMessage,
  { span, headers }: ActiveSpan,
): void {
  const key = keyOf(message);
  const spans = RUNNING.get(request);
  if (spans === undefined) {
    RUNNING.set(request, [{ key, span, headers }]);
    return;
  }
  const before = spans.findIndex((running) => running.key === key);
  spans.splice(before < 0 ? spans.length : before, before < 0 ? 0 : 1, { key, span, headers });
}

export function spanOf(request: ClientRequest, message: ClientMessage | undefined): ActiveSpan | undefined {
  if (message === undefined) return undefined;
  const spans = RUNNING.get(request);
  return spans === undefined ? undefined : spans[indexOf(spans, message)];
}

/** Removes and returns the span, if it is still active. */
export function takeSpan(request: ClientRequest, message: ClientMessage): ActiveSpan | undefined {
  const spans = RUNNING.get(request);
  const at = spans === undefined ? -1 : indexOf(spans, message);
  return at < 0 ? undefined : spans?.splice(at, 1)[0];
}

/** Removes all spans, such as those of a batch that was refused as a whole. */
export function takeAllSpans(request: ClientRequest): readonly ActiveSpan[] {
  const left = RUNNING.get(request) ?? [];
  RUNNING.delete(request);
  return left;
}

function indexOf(spans: readonly RunningSpan[], message: ClientMessage): number {
  const key = keyOf(message);
  return spans.findIndex((span) => span.key === key);
}

/**
 * Returns the key of a message. Notifications of a batch with the same method share a key, and the last one
 * wins.
 */
function keyOf(message: ClientMessage): string {
  return message.kind === 'request'
    ? message.id
    : `method ${message.kind === 'response' ? '' : message.method}`;
}
