import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import type { Metric, MetricSnapshot } from '@portolan/plugin-api';

/**
 * The host counts itself: instruments of the SDK are ten times slower, and continue to export series without
 * data.
 */
export function toResourceMetrics(
  { since, at, metrics }: MetricSnapshot,
  resource: Resource,
): ResourceMetrics {
  const span = { startTime: hrTimeOf(since), endTime: hrTimeOf(at) };
  return {
    resource,
    scopeMetrics: [{ scope: { name: 'portolan' }, metrics: metrics.map((metric) => toData(metric, span)) }],
  };
}

function toData(metric: Metric, span: { startTime: HrTime; endTime: HrTime }): MetricData {
  const { name, about, unit = '', kind } = metric;
  const base = {
    descriptor: { name, description: about, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (kind === 'histogram') {
    const dataPoints = metric.points.map(({ attributes, value: { boundaries, counts, sum, count } }) => ({
      ...span,
      attributes: { ...attributes },
      value: { buckets: { boundaries: [...boundaries], counts: [...counts] }, sum, count },
    }));
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = metric.points.map(({ attributes, value }) => ({
    ...span,
    attributes: { ...attributes },
    value,
  }));
  return kind === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

function hrTimeOf(date: Date): HrTime {
  const ms = date.getTime();
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
}
