/** What is known of something that is traced or measured: names as OpenTelemetry's conventions have them. Never a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Traces what a host does. Calls never throw by themselves, and wait for nobody. */
export interface Tracer {
  /**
   * Runs work as a span. It ends when the work has settled, as failed when that
   * throws, and what is thrown is passed on. Spans that begin in the work, also
   * behind an `await`, are below it.
   */
  trace<T>(start: SpanStart, work: (span: Span) => T): T;
  /** Tells of something that has ended now, as a span below the one that runs; where none runs, nobody is told. */
  record(span: FinishedSpan): void;
  /** The span that runs here and is sampled; for lines of a log. */
  current(): SpanIds | undefined;
  /** Headers (W3C Trace Context) that tell the receiver of a request about the span that runs; empty where none does. */
  headers(): Readonly<Record<string, string>>;
}

export interface SpanStart {
  /** One of few: the template of a route, never its path. */
  readonly name: string;
  /** `server`: it answers somebody's request, and sampling decides about it; left out, `internal`. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /**
   * Left out: the span that runs here, where one does. Headers of a request: whoever
   * sent them, if they name a span. Without any, or with such that cannot be read, a new trace begins.
   */
  readonly parent?: TraceHeaders;
  /** Where that is known only now; left out: now. */
  readonly begunAt?: Date;
}

export type SpanKind = 'internal' | 'server' | 'client';

/** As they came: nothing in them is believed to be well formed. */
export interface TraceHeaders {
  readonly traceparent?: string | readonly string[] | undefined;
  readonly tracestate?: string | readonly string[] | undefined;
}

/** A span that runs. After its end nothing changes it any more. */
export interface Span {
  /** Undefined: it is not sampled, and nobody will see what is set. */
  readonly ids: SpanIds | undefined;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks it as failed; `type` is a code or the name of a class, never a message. */
  fail(type: string): void;
  /** Says that what was asked was done; left out, nobody has said so. */
  succeed(): void;
  /** Ends it before its work is over; a second end is none. */
  end(): void;
  /** Runs more work below it. */
  run<T>(work: () => T): T;
}

export interface FinishedSpan extends Pick<SpanStart, 'name' | 'kind' | 'attributes'> {
  readonly durationMs: number;
  /** A code or the name of a class, where it failed. */
  readonly failed?: string | undefined;
}

export interface SpanIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}
