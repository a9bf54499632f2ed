import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Span as SdkSpan,
  SpanStatusCode,
  trace,
  type TimeInput,
} from '@opentelemetry/api';
import { type Attributes, errorClassOf, type Span, type SpanIds } from '@portolan/plugin-api';

/** Maximum number of recorded child spans, such as SQL statements, per span. */
export const MAX_RECORDED = 100;

export class OtelSpan implements Span {
  readonly ids: SpanIds | undefined;
  readonly context: Context;
  isOver = false;
  #recorded = 0;
  readonly #sdk: SdkSpan;
  readonly #running: AsyncLocalStorage<OtelSpan>;

  constructor(sdk: SdkSpan, around: Context, running: AsyncLocalStorage<OtelSpan>) {
    const { traceId, spanId } = sdk.spanContext();
    this.ids = sdk.isRecording() ? { traceId, spanId } : undefined;
    this.context = trace.setSpan(around, sdk);
    this.#sdk = sdk;
    this.#running = running;
  }

  rename(name: string): void {
    this.#sdk.updateName(name);
  }

  set(attributes: Attributes): void {
    this.#sdk.setAttributes({ ...attributes });
  }

  fail(type: string): void {
    this.#sdk.setAttribute('error.type', type);
    this.#sdk.setStatus({ code: SpanStatusCode.ERROR });
  }

  succeed(): void {
    this.#sdk.setStatus({ code: SpanStatusCode.OK });
  }

  /**
   * Counts a child span, and returns whether to record it. A sync runs thousands of statements, which would
   * push other spans out of the queue. The span reports how many were left out.
   */
  takesOneMore(): boolean {
    this.#recorded += 1;
    return this.#recorded <= MAX_RECORDED;
  }

  end(time?: TimeInput): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.#recorded > MAX_RECORDED)
      this.#sdk.setAttribute('portolan.spans.left_out', this.#recorded - MAX_RECORDED);
    this.#sdk.end(time);
  }

  /**
   * Ends a span with an error. Records only the type of the error, because its message may contain secrets.
   */
  endWith(error: unknown): void {
    const type = typeOf(error);
    if (isRefusal(error)) this.set({ 'error.type': type });
    else this.fail(type);
    this.end();
  }

  run<T>(work: () => T): T {
    return this.#running.run(this, work);
  }
}

function typeOf(error: unknown): string {
  const code: unknown = Object(error).code;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.name : typeof error;
}

/** Returns whether an error is the caller's fault, and not a failure of this program. */
function isRefusal(error: unknown): boolean {
  const status: unknown = Object(error).status;
  if (typeof status === 'number') return status < 500;
  return !['busy', 'unavailable', 'fault'].includes(errorClassOf(error));
}
