import type { Attributes } from './tracer.ts';

/** All metrics of a host at one point in time. */
export interface MetricSnapshot {
  readonly since: Date;
  readonly at: Date;
  /** Have at least one point. */
  readonly metrics: readonly Metric[];
}

interface MetricHead {
  /** OpenTelemetry name, such as `http.server.request.duration`. */
  readonly name: string;
  readonly about: string;
  /** UCUM; undefined for a count. */
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
  /** Ascending. A value equal to a boundary belongs to the bucket below. */
  readonly boundaries: readonly number[];
  /** The last one counts values above all boundaries. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}
