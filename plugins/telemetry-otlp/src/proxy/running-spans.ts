import type { ClientMessage, ClientRequest, Span } from '@portolan/plugin-api';

/** A span that runs, and how whoever is asked next is told of it. */
export interface RunningSpan {
  readonly span: Span;
  /** W3C Trace Context of it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lets it end. */
  readonly end: () => void;
}

/**
 * The spans of messages on their way: begun by the kind that observes, told by
 * the one that changes messages, which both stand in the same path.
 */
const RUNNING = new WeakMap<ClientRequest, Map<string, RunningSpan>>();

export function keepSpan(request: ClientRequest, message: ClientMessage, running: RunningSpan): void {
  const spans = RUNNING.get(request) ?? new Map<string, RunningSpan>();
  RUNNING.set(request, spans);
  spans.set(keyOf(message), running);
}

export function spanOf(request: ClientRequest, message: ClientMessage | undefined): RunningSpan | undefined {
  return message === undefined ? undefined : RUNNING.get(request)?.get(keyOf(message));
}

/** Those that nobody has ended yet. */
export function takeSpan(request: ClientRequest, message: ClientMessage): RunningSpan | undefined {
  const spans = RUNNING.get(request);
  const found = spans?.get(keyOf(message));
  spans?.delete(keyOf(message));
  return found;
}

/** Of a request whose messages are not known any more, such as a batch of which one was refused. */
export function takeAllSpans(request: ClientRequest): readonly RunningSpan[] {
  const left = [...(RUNNING.get(request)?.values() ?? [])];
  RUNNING.delete(request);
  return left;
}

/** Notifications have no id; of those in a batch, the last one has the span. */
function keyOf(message: ClientMessage): string {
  return message.kind === 'request'
    ? message.id
    : `method ${message.kind === 'response' ? '' : message.method}`;
}
