/** Attributes of a span or metric, named by OpenTelemetry's conventions. Never secret. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Records spans. No function waits or throws an error of its own. */
export interface Tracer {
  /**
   * Runs work as a span, which ends when the work settles, as failed when it throws; the error passes
   * through. Spans that start in the work, also after an `await`, are its children.
   */
  trace<T>(start: SpanStart, work: (span: Span) => T): T;
  /** Records a span that has already ended. Does nothing without a current span. */
  record(span: FinishedSpan): void;
  /** Returns the current sampled span, for log lines. */
  current(): SpanIds | undefined;
  /** Returns W3C Trace Context headers of the current span. */
  headers(): Readonly<Record<string, string>>;
}

export interface SpanStart {
  /** Low-cardinality name: the template of a route, never its path. */
  readonly name: string;
  /** `server` for a received request, which sampling decides about. Default: `internal`. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /**
   * Parent of the span. Default: the current span, if any. Given the headers of a request, the sender's span
   * is the parent; invalid headers start a new trace.
   */
  readonly parent?: TraceHeaders;
  /** Start time, if it is not now. */
  readonly begunAt?: Date;
}

export type SpanKind = 'internal' | 'server' | 'client';

/** Headers with a trace context, from a client: untrusted and possibly malformed. */
export interface TraceHeaders {
  readonly traceparent?: string | readonly string[] | undefined;
  readonly tracestate?: string | readonly string[] | undefined;
}

/** A running span. After its end, changes have no effect. */
export interface Span {
  /** Undefined for an unsampled span, whose data is dropped. */
  readonly ids: SpanIds | undefined;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** `type` is a code or class name, never a message. */
  fail(type: string): void;
  /** Marks the span as successful. By default its status is unset. */
  succeed(): void;
  /** Ends the span before its work settles. Idempotent. */
  end(): void;
  run<T>(work: () => T): T;
}

export interface FinishedSpan extends Pick<SpanStart, 'name' | 'kind' | 'attributes'> {
  readonly durationMs: number;
  readonly failed?: string | undefined;
}

export interface SpanIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}
