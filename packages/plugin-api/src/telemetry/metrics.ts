import type { Attributes } from './tracer.ts';

/** All metrics of a host at one point in time. */
export interface MetricSnapshot {
  readonly since: Date;
  readonly at: Date;
  /** Metrics that have at least one point. */
  readonly metrics: readonly Metric[];
}

interface MetricHead {
  /** OpenTelemetry name, such as `http.server.request.duration`. */
  readonly name: string;
  readonly about: string;
  /** Unit by UCUM. Undefined for a plain number. */
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

/** Values per bucket since `since`. */
export interface Distribution {
  /** Upper bounds of the buckets, ascending. A value equal to a boundary belongs to the bucket below it. */
  readonly boundaries: readonly number[];
  /** Number of values per bucket. The last bucket counts values above all boundaries. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}
