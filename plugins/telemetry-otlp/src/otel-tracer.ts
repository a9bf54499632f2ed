import { AsyncLocalStorage } from 'node:async_hooks';
import {
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  type TextMapGetter,
  type Tracer as SdkTracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { FinishedSpan, Span, SpanIds, SpanStart, TraceHeaders, Tracer } from '@portolan/plugin-api';
import { OtelSpan } from './otel-span.ts';

const KINDS = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

const readHeaders: TextMapGetter<TraceHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, key) => {
    const value = key === 'traceparent' ? headers.traceparent : headers.tracestate;
    // Several `tracestate` headers form one list. Several `traceparent` headers are invalid.
    return typeof value === 'object' ? value.join(',') : value;
  },
};

/** Headers propagate the span (W3C Trace Context). */
export interface ActiveSpan {
  readonly span: OtelSpan;
  readonly headers: Readonly<Record<string, string>>;
}

export class OtelTracer implements Tracer {
  readonly #sdk: SdkTracer;
  readonly #running = new AsyncLocalStorage<OtelSpan>();
  readonly #propagator = new W3CTraceContextPropagator();

  constructor(sdk: SdkTracer) {
    this.#sdk = sdk;
  }

  trace<T>(start: SpanStart, work: (span: Span) => T): T {
    const { name, kind = 'internal', attributes = {}, parent, begunAt } = start;
    const outer = this.#running.getStore();
    if (parent === undefined && outer !== undefined && outer.ids === undefined) return work(outer);
    const around =
      parent === undefined
        ? (outer?.context ?? ROOT_CONTEXT)
        : this.#propagator.extract(ROOT_CONTEXT, parent, readHeaders);
    const startTime = begunAt === undefined ? {} : { startTime: begunAt };
    const settings = { kind: KINDS[kind], attributes: { ...attributes }, ...startTime };
    const span = this.#sdk.startSpan(name, settings, around);
    return runTo(new OtelSpan(span, around, this.#running), work);
  }

  /** Starts a span, which the caller ends. Only requests with the headers of the span become its children. */
  begin({ name, kind = 'internal', attributes = {}, parent = {}, begunAt }: SpanStart): ActiveSpan {
    const around = this.#propagator.extract(ROOT_CONTEXT, parent, readHeaders);
    const startTime = begunAt === undefined ? {} : { startTime: begunAt };
    const sdk = this.#sdk.startSpan(
      name,
      { kind: KINDS[kind], attributes: { ...attributes }, ...startTime },
      around,
    );
    const span = new OtelSpan(sdk, around, this.#running);
    const headers: Record<string, string> = {};
    this.#propagator.inject(span.context, headers, defaultTextMapSetter);
    return { span, headers };
  }

  record({ name, kind = 'internal', attributes = {}, durationMs, failed }: FinishedSpan): void {
    const outer = this.#running.getStore();
    if (outer?.ids === undefined || outer.isOver || !outer.takesOneMore()) return;
    // The end is computed from the duration, because `performance.now()` drifts from the wall clock in a
    // long-running process.
    const endMs = Date.now();
    const startTime = endMs - durationMs;
    const settings = { kind: KINDS[kind], attributes: { ...attributes }, startTime };
    const span = new OtelSpan(
      this.#sdk.startSpan(name, settings, outer.context),
      outer.context,
      this.#running,
    );
    if (failed !== undefined) span.fail(failed);
    span.end(endMs);
  }

  current(): SpanIds | undefined {
    const running = this.#running.getStore();
    return running?.isOver === true ? undefined : running?.ids;
  }

  headers(): Readonly<Record<string, string>> {
    const running = this.#running.getStore();
    const headers: Record<string, string> = {};
    if (running !== undefined) this.#propagator.inject(running.context, headers, defaultTextMapSetter);
    return headers;
  }
}

function runTo<T>(span: OtelSpan, work: (span: Span) => T): T {
  let result: T;
  try {
    result = span.run(() => work(span));
  } catch (error) {
    span.endWith(error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  const settled = result.then(
    (value: unknown) => {
      span.end();
      return value;
    },
    (error: unknown) => {
      span.endWith(error);
      throw error;
    },
  );
  return settled as T; // SAFETY: `T` is this promise type.
}
