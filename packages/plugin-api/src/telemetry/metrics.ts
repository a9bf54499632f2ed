import type { Attributes } from './tracer.ts';

/** All metrics of a host at one point in time. */
export interface MetricSnapshot {
  /** Start of counting. */
  readonly since: Date;
  readonly at: Date;
  /** Only metrics with at least one point. */
  readonly metrics: readonly Metric[];
}

interface MetricHead {
  /** OpenTelemetry name, such as `http.server.request.duration`. */
  readonly name: string;
  readonly about: string;
  /** Unit in OpenTelemetry's notation (UCUM); undefined for a count. */
  readonly unit: 's' | 'By' | undefined;
}

export interface NumberMetric extends MetricHead {
  /** A counter only increases, from `since` on. */
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

/** Number of values per bucket since `since`. */
export interface Distribution {
  /** Ascending. A value equal to a boundary belongs to the bucket below. */
  readonly boundaries: readonly number[];
  /** One more than there are boundaries: the last one counts values above all of them. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}
