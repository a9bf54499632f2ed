import type { Attributes } from './tracer.ts';

/** Everything that a host has measured until now. */
export interface MetricSnapshot {
  /** Since when it counts. */
  readonly since: Date;
  readonly at: Date;
  /** Only those that have a point. */
  readonly metrics: readonly Metric[];
}

interface MetricHead {
  /** As OpenTelemetry has it: `http.server.request.duration`. */
  readonly name: string;
  readonly about: string;
  /** As OpenTelemetry writes it (UCUM); undefined for a number of things. */
  readonly unit: 's' | 'By' | undefined;
}

export interface NumberMetric extends MetricHead {
  /** A counter only grows, from `since` on. */
  readonly kind: 'counter' | 'gauge';
  readonly points: readonly MetricPoint<number>[];
}

export interface HistogramMetric extends MetricHead {
  readonly kind: 'histogram';
  readonly points: readonly MetricPoint<Distribution>[];
}

export type Metric = NumberMetric | HistogramMetric;

export interface MetricPoint<Value> {
  readonly attributes: Attributes;
  readonly value: Value;
}

/** How many values fell between which boundaries since `since`. */
export interface Distribution {
  /** Ascending; a value that equals one belongs below it. */
  readonly boundaries: readonly number[];
  /** One more than there are boundaries: the last one counts what is above all of them. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}
